// Copies the database as of one moment while everything goes on. The copy has its own connection, which reads
// one state from beginning to end and keeps no writer waiting (the write-ahead log grows meanwhile). It is
// written under another name, checked, and only then renamed: a file named as a backup is whole. The next
// backup removes an unfinished one. A folder belongs to one Slipstream. https://www.sqlite.org/backup.html

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { ConfigError } from '../../../base/config/config.ts'
import { accountName, explainAccess } from '../../../base/util/file-access.ts'
import { openReadOnly } from '../db.ts'
import { refuseFullDisk } from './disk-use.ts'

export type BackupOptions = {
  dataDir: string
  /** Target folder; `backups` in the data folder by default. */
  into?: string | undefined
  /** How many backups to keep, this one included; all by default. */
  keep?: number | undefined
  /** `full` also compares indexes with their tables, and takes several times as long. */
  check?: 'full' | 'quick' | undefined
  onProgress?: ((progress: BackupProgress) => void) | undefined
  now?: (() => number) | undefined
}

export type BackupProgress = { step: 'copying' | 'checking'; done: number; total: number }

export type Backup = { path: string; bytes: number; tookMs: number; removed: string[] }

const OTHER_DISK = 'Remove older backups there, or name a folder on another disk.'
const PARTIAL = '.partial'
/** Names sort by time. */
const NAME = /^slipstream-\d{8}T\d{6}\.\d{3}Z\.sqlite$/
const PAGES_A_STEP = 1_024

/** @throws ConfigError for errors that the operator can fix; no backup is left behind then */
export async function backUp(options: BackupOptions): Promise<Backup> {
  const { dataDir, keep, check = 'full', now = Date.now } = options
  const startedAt = now()
  const own = resolve(dataDir, 'backups')
  const into = resolve(options.into ?? own)
  if (into !== own) refuseMissing(into)
  prepareFolder(into)
  const path = freePath(into, startedAt)
  const partial = path + PARTIAL
  try {
    await copyTo(partial, into, options)
    options.onProgress?.({ step: 'checking', done: 0, total: 1 })
    checkDatabase(partial, check)
    flush(partial)
    renameSync(partial, path)
    flush(into)
  } catch (error) {
    removeWith(partial)
    throw error
  }
  const removed = keep === undefined ? [] : removeOldest(into, keep)
  return { path, bytes: statSync(path).size, tookMs: now() - startedAt, removed }
}

/** Newest first. */
function backupsIn(folder: string): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => NAME.test(name)) : []
  return names.sort().reverse()
}

/** Looks in the data folder, the default target. */
export function newestBackup(dataDir: string): { at: number; bytes: number } | undefined {
  const folder = join(dataDir, 'backups')
  const [name] = backupsIn(folder)
  if (!name) return undefined
  const { mtimeMs, size } = statSync(join(folder, name))
  return { at: mtimeMs, bytes: size }
}

/** For example 20261121T101733.250Z. */
export function stampOf(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]/g, '')
}

/** @throws ConfigError if the file is damaged; the message calls it `name` */
export function checkDatabase(path: string, check: 'full' | 'quick', name: string = path): void {
  const db = new Database(path, { fileMustExist: true })
  try {
    // Makes it one file, without a log beside it.
    db.pragma('journal_mode = DELETE')
    const verdict = db.pragma(check === 'full' ? 'integrity_check' : 'quick_check', {
      simple: true,
    })
    if (verdict !== 'ok') throw damaged(name, String(verdict))
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'SQLITE_NOTADB' && code !== 'SQLITE_CORRUPT') throw error
    throw damaged(name, (error as Error).message)
  } finally {
    db.close()
  }
}

async function copyTo(
  partial: string,
  into: string,
  { dataDir, onProgress }: BackupOptions,
): Promise<void> {
  const db = openReadOnly(dataDir)
  try {
    // Held until the end, so that every step reads the same state, whatever is written meanwhile.
    db.exec('BEGIN')
    const pages = db.pragma('page_count', { simple: true }) as number
    refuseFullDisk(into, pages * (db.pragma('page_size', { simple: true }) as number), OTHER_DISK)
    await db.backup(partial, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress?.({ step: 'copying', done: totalPages - remainingPages, total: totalPages })
        return PAGES_A_STEP
      },
    })
  } finally {
    db.close()
  }
}

/**
 * A configured folder must exist: a misspelt one, or an unmounted disk, would fill the wrong place.
 */
function refuseMissing(into: string): void {
  if (isFolder(into)) return
  if (existsSync(into)) {
    throw new ConfigError(`${into} is a file, not a backup folder.`, 'Name a folder.')
  }
  throw new ConfigError(
    `The backup folder ${into} does not exist.`,
    `Check its name and that its disk is mounted, or create it: mkdir -p ${into} && chown ${accountName()} ${into}`,
  )
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch (error) {
    const { message, hint } = explainAccess(path, 'written', error, 'Name another one.')
    throw new ConfigError(message, hint)
  }
}

function prepareFolder(into: string): void {
  try {
    mkdirSync(into, { recursive: true, mode: 0o700 })
    accessSync(into, constants.R_OK | constants.W_OK | constants.X_OK)
    for (const name of readdirSync(into)) {
      const began = name.slice(0, name.indexOf(PARTIAL))
      if (NAME.test(began)) rmSync(join(into, name))
    }
  } catch (error) {
    const { message, hint } = explainAccess(into, 'written', error, 'Name another one.')
    throw new ConfigError(message, hint)
  }
}

/** Two backups of one moment get names a millisecond apart, so that the later one is newer. */
function freePath(into: string, at: number): string {
  for (let ms = at; ; ms++) {
    const path = join(into, `slipstream-${stampOf(ms)}.sqlite`)
    if (!existsSync(path)) return path
  }
}

function removeOldest(into: string, keep: number): string[] {
  const removed = backupsIn(into).slice(Math.max(1, keep))
  for (const name of removed) rmSync(join(into, name))
  return removed
}

/** Removes the file and its companion files. */
export function removeWith(path: string): void {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(path + end, { force: true })
}

/** Data is on the disk when this returns. */
export function flush(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

function damaged(path: string, verdict: string): ConfigError {
  return new ConfigError(
    `${path} is damaged: ${verdict.slice(0, 300)}.`,
    'Check the system log for disk errors, and use another backup.',
  )
}
