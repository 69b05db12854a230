// Before a database is brought to a newer schema, a copy of it is put beside it, so that the version of Slipstream
// that wrote it can go on where the upgrade goes wrong: `slipstream.sqlite.before-015`. Only the last one is kept.
// The file itself is copied while nobody has it open here: exact, and on file systems that can share blocks (btrfs,
// XFS) done at once and for nothing. An upgrade that was interrupted finds its copy and doesn't overwrite it with the
// half of an upgrade.

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
  statfsSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { ConfigError } from '../../base/config/config.ts'

/** What was done: where the copy is, and the schema it has. */
export type UpgradeBackup = { path: string; schema: number }

/** So much more than the copy must be free: an upgrade writes too. */
const SPARE_BYTES = 64 << 20
const MEGABYTE = 1 << 20

/**
 * Makes the copy where the database at `path` is older than `target`. Nobody else may write meanwhile (the
 * data folder is locked).
 * @returns undefined where there is nothing to save.
 * @throws ConfigError where the disk has no room.
 */
export function backUpBeforeUpgrade(path: string, target: number): UpgradeBackup | undefined {
  if (!existsSync(path)) return undefined
  const schema = schemaOf(path)
  if (schema === 0 || schema >= target) return undefined
  const copy = backupPath(path, target)
  const isInterrupted = existsSync(copy) && schemaOf(copy) < schema
  if (!isInterrupted) copyWhole(path, copy)
  return { path: copy, schema }
}

/** To be called once the upgrade is done: copies from before earlier ones go. */
export function removeOlderBackups(path: string, target: number): void {
  const kept = basename(backupPath(path, target))
  const prefix = `${basename(path)}.before-`
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(prefix))
  for (const name of names.filter((one) => !one.startsWith(kept))) {
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

/** Puts the write-ahead log that a crash has left into the file. */
function settle(path: string): void {
  const db = new Database(path)
  try {
    db.pragma('busy_timeout = 2000')
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }]
    if (result.busy === 0) return
    throw new ConfigError(
      `The database ${path} must be upgraded, and another program is reading it.`,
      'Stop whatever has it open, and start again.',
    )
  } finally {
    db.close()
  }
}

/** Under another name until it is on the disk whole. */
function copyWhole(path: string, copy: string): void {
  refuseWithoutRoom(path)
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
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw noRoom(path)
    throw error
  }
}

function refuseWithoutRoom(path: string): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < statSync(path).size + SPARE_BYTES) throw noRoom(path)
}

function noRoom(path: string): ConfigError {
  const megabytes = Math.ceil((statSync(path).size + SPARE_BYTES) / MEGABYTE)
  return new ConfigError(
    `The database must be upgraded, and there is no room for the copy that is made first: ${megabytes} MB free are needed in ${dirname(path)}.`,
    'Free some disk, or copy the database elsewhere yourself and set SLIPSTREAM_UPGRADE_BACKUP=off.',
  )
}
