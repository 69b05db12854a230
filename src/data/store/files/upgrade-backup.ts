// Copies a database before upgrading its schema, so that the Slipstream version that wrote it can continue if
// the upgrade goes wrong: `slipstream.sqlite.before-015`. Only the last copy is kept. The file itself is
// copied while no process has it open: exact, and instant and free on file systems that share blocks (btrfs,
// XFS). An interrupted upgrade finds its copy and does not overwrite it with a half-upgraded database.

import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { ConfigError } from '../../../base/config/config.ts'
import { freeBytes } from './free-bytes.ts'

/** The copy's path, and the schema from which the upgrade starts: after an interrupted one, later than the copy's. */
export type UpgradeBackup = { path: string; schema: number }

/** Free space required beyond the copy, since an upgrade writes too. */
const SPARE_BYTES = 64 << 20
const MEGABYTE = 1 << 20

/**
 * Copies the database at `path` if it is older than `target`. No one else may write meanwhile (the
 * data folder is locked).
 * @returns undefined if there is nothing to save
 * @throws ConfigError if the disk has no room
 */
export function backUpBeforeUpgrade(path: string, target: number): UpgradeBackup | undefined {
  if (!existsSync(path)) return undefined
  const schema = schemaOf(path)
  if (schema === 0 || schema >= target) return undefined
  const copy = backupPath(path, target)
  const isInterrupted = existsSync(copy) && schemaOf(copy) < schema
  if (!isInterrupted) copyComplete(path, copy)
  return { path: copy, schema }
}

/** Called once the upgrade is done: removes copies of earlier upgrades. */
export function removeOlderBackups(path: string, target: number): void {
  const newest = basename(backupPath(path, target))
  const prefix = `${basename(path)}.before-`
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(prefix))
  for (const name of names.filter((name) => !name.startsWith(newest))) {
    rmSync(join(dirname(path), name), { force: true })
  }
}

function backupPath(path: string, target: number): string {
  return `${path}.before-${String(target).padStart(3, '0')}`
}

function schemaOf(path: string): number {
  const db = new Database(path, { readonly: true })
  try {
    return db.pragma('user_version', { simple: true }) as number
  } finally {
    db.close()
  }
}

/** Copies the write-ahead log left by a crash into the file. */
function settle(path: string): void {
  const db = new Database(path)
  try {
    db.pragma('busy_timeout = 2000')
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }]
    if (result.busy === 0) return
    throw new ConfigError(
      `The database ${path} must be upgraded, and another program is reading it.`,
      'Stop the program that has it open, and start again.',
    )
  } finally {
    db.close()
  }
}

/** Uses another name until the copy is completely on the disk. */
function copyComplete(path: string, copy: string): void {
  refuseWithoutSpace(path)
  settle(path)
  const unfinished = `${copy}.unfinished`
  try {
    copyFileSync(path, unfinished, constants.COPYFILE_FICLONE)
    const file = openSync(unfinished, 'r+')
    fsyncSync(file)
    closeSync(file)
    renameSync(unfinished, copy)
  } catch (error) {
    rmSync(unfinished, { force: true })
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw noSpace(path)
    throw error
  }
}

function refuseWithoutSpace(path: string): void {
  if (freeBytes(dirname(path)) < statSync(path).size + SPARE_BYTES) throw noSpace(path)
}

function noSpace(path: string): ConfigError {
  const megabytes = Math.ceil((statSync(path).size + SPARE_BYTES) / MEGABYTE)
  return new ConfigError(
    `The database must be upgraded, but there is no room for the copy made first: ${megabytes} MB must be free in ${dirname(path)}.`,
    'Free some disk, or copy the database elsewhere yourself and set SLIPSTREAM_UPGRADE_BACKUP=off.',
  )
}
