// Allows one process per data directory. The lock is an exclusive transaction on a separate database file,
// held for the life of the process: the kernel frees it after a kill -9, so it needs no cleanup.

import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { ConfigError } from '../../../base/config/config.ts'
import { isReadOnly } from '../../../base/util/file-access.ts'
import { makeDataFolder } from './data-folder.ts'
import { isDiskFull } from './disk-full.ts'

type DataDirLock = { release(): void }

const HOLDER = 'slipstream.pid'

/** @throws ConfigError if another process holds the folder, or it is not writable */
export function lockDataDir(dataDir: string): DataDirLock {
  const holderPath = join(dataDir, HOLDER)
  const db = openLockFile(dataDir)
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (!(error instanceof Database.SqliteError)) throw error
    if (error.code === 'SQLITE_NOTADB') throw spoilt(dataDir)
    if (error.code.startsWith('SQLITE_READONLY')) throw unwritable(dataDir, error)
    if (error.code !== 'SQLITE_BUSY') throw error
    throw new ConfigError(
      `Another Slipstream (process ${readHolder(holderPath)}) uses the data folder ${resolve(dataDir)}.`,
      'Stop it first, or give this one another folder with SLIPSTREAM_DATA_DIR.',
    )
  }
  try {
    nameHolder(holderPath)
  } catch (error) {
    db.close()
    throw unwritable(dataDir, error)
  }
  return { release: () => db.close() }
}

function openLockFile(dataDir: string): Database.Database {
  try {
    makeDataFolder(dataDir)
    return new Database(join(dataDir, 'slipstream.lock'), { timeout: 0 })
  } catch (error) {
    throw unwritable(dataDir, error)
  }
}

const REMOUNT =
  'Mount it for writing, or set SLIPSTREAM_DATA_DIR. A disk with errors becomes read-only by itself: see `dmesg`.'

/** A full disk is handled elsewhere (data/store/files/trouble.ts). */
function unwritable(dataDir: string, error: unknown): unknown {
  if (error instanceof ConfigError) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') return error
  const folder = resolve(dataDir)
  if (isReadOnly(folder)) {
    return new ConfigError(
      `The data folder ${folder} is on a file system that is read-only here.`,
      REMOUNT,
    )
  }
  return new ConfigError(
    `The data folder ${folder} cannot be written: ${message}.`,
    'Give Slipstream’s user write access to it, or set SLIPSTREAM_DATA_DIR.',
  )
}

/** Only for the error message of another process, so a full disk is ignored. */
function nameHolder(path: string): void {
  try {
    writeFileSync(path, `${process.pid}\n`)
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}

function spoilt(dataDir: string): ConfigError {
  return new ConfigError(
    `The lock file slipstream.lock in ${resolve(dataDir)} is not Slipstream’s.`,
    'Delete it while no Slipstream runs on this folder: it holds no data.',
  )
}

/** Whether a living process other than this one wrote its number last: it may be starting. */
export function isHeldByAnother(dataDir: string): boolean {
  const pid = Number(readHolder(join(dataDir, HOLDER)))
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readHolder(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
