// Replaces the database with a backup while no Slipstream runs on the folder (the caller holds its lock). The
// backup is copied beside it and checked there: a damaged or foreign one, or one newer than this build, is
// refused, and nothing has changed. The old database is kept under another name. The last step is one rename,
// so a crash leaves either the old database or the new one.

import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { ConfigError } from '../../base/config/config.ts'
import { checkDatabase, flush, removeWith, stampOf } from './backup.ts'
import { FILE_NAME } from './db.ts'
import { rollBackInterrupted } from './interrupted.ts'
import { schemaOf, schemaVersion } from './migrate.ts'

export type Restored = {
  /** Of the backup; an older one is migrated at the next start. */
  schema: number
  bytes: number
  /** Path of the previous database; undefined if there was none. */
  keptAs: string | undefined
}

const LOGS = ['-wal', '-shm', '-journal']

/** @throws ConfigError if the file can't be used */
export function restoreBackup(options: {
  dataDir: string
  from: string
  now?: () => number
  onStep?: (step: 'copying' | 'checking' | 'placing') => void
}): Restored {
  const { dataDir, now = Date.now, onStep = () => {} } = options
  const from = resolve(options.from)
  const target = join(dataDir, FILE_NAME)
  const coming = `${target}.restoring`
  refuseUnfit(from, target)
  // The journal of a killed restore would be taken for the new copy's.
  removeWith(coming)
  try {
    onStep('copying')
    copyFileSync(from, coming)
    onStep('checking')
    checkDatabase(coming, 'full', from)
    const schema = readSchema(coming, from)
    flush(coming)
    onStep('placing')
    const keptAs = keepOld(target, `${target}.before-restore-${stampOf(now())}`)
    renameSync(coming, target)
    flush(dataDir)
    return { schema, bytes: statSync(target).size, keptAs }
  } catch (error) {
    removeWith(coming)
    throw error
  }
}

function refuseUnfit(from: string, target: string): void {
  if (!existsSync(from) || !statSync(from).isFile()) {
    throw new ConfigError(
      `There is no file ${from}.`,
      'Name a file that `slipstream backup` wrote.',
    )
  }
  if (from === resolve(target) || existsSync(`${from}-wal`)) {
    throw new ConfigError(
      `${from} is a database in use, or a copy of one, and not a backup.`,
      'Use a file that `slipstream backup` wrote: a plain copy may lack data still in the log.',
    )
  }
}

function readSchema(path: string, from: string): number {
  const db = new Database(path, { readonly: true })
  const schema = schemaOf(db)
  const tables = db
    .prepare("SELECT count(*) FROM sqlite_schema WHERE name IN ('actors', 'members')")
    .pluck()
    .get()
  db.close()
  if (schema === 0 || tables !== 2) {
    throw new ConfigError(
      `${from} is not a Slipstream backup.`,
      'Name a file that `slipstream backup` wrote.',
    )
  }
  if (schema > schemaVersion) {
    throw new ConfigError(
      `${from} has schema ${schema}, from a newer Slipstream; this one knows up to ${schemaVersion}.`,
      'Install the version that wrote it, or a later one, and restore again.',
    )
  }
  return schema
}

/**
 * Gives the database a second name after checkpointing its log, so that no log is left that would
 * be taken for the new one's. A damaged database keeps its log under the new name too.
 */
function keepOld(target: string, kept: string): string | undefined {
  if (!existsSync(target)) {
    for (const end of LOGS) rmSync(target + end, { force: true })
    return undefined
  }
  emptyLog(target)
  for (const end of LOGS) if (existsSync(target + end)) renameSync(target + end, kept + end)
  linkSync(target, kept)
  return kept
}

function emptyLog(path: string): void {
  try {
    rollBackInterrupted(path)
    const db = new Database(path)
    try {
      db.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      db.close()
    }
  } catch {
    // Damaged, which may be why it is being restored.
  }
}
