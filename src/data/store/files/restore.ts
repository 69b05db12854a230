// Replaces the database with a backup while no Slipstream runs on the folder (the caller holds its lock). The
// backup is copied beside it and checked there: a damaged or foreign one, or one newer than this build, is
// refused, and nothing has changed. The old database is kept under another name. The last step is one rename,
// so a crash leaves either the old database or the new one.

import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { ConfigError } from '../../../base/config/config.ts'
import { explainAccess } from '../../../base/util/file-access.ts'
import { FILE_NAME } from '../db.ts'
import { schemaOf, schemaVersion } from '../migrate.ts'
import { checkDatabase, flush, removeWith, stampOf } from './backup.ts'
import { refuseFullDisk } from './disk-use.ts'
import { rollBackInterrupted } from './interrupted.ts'

export type Restored = {
  /** Of the backup; an older one is migrated at the next start. */
  schema: number
  bytes: number
  /** Path of the previous database; undefined if there was none. */
  keptAs: string | undefined
}

const LOGS = ['-wal', '-shm', '-journal']
const PIECE_BYTES = 1 << 20
/** https://www.sqlite.org/fileformat2.html#magic_header_string */
const DATABASE_HEADER = Buffer.from('SQLite format 3\0')
/** Of gzip, zstd and xz. */
const PACKED = ['1f8b', '28b52ffd', 'fd377a585a00'].map((hex) => Buffer.from(hex, 'hex'))
const MAKE_ROOM =
  'Nothing was changed. Make room there: the previous database is kept beside the restored one.'
const A_BACKUP = 'Name a file that `slipstream backup` wrote.'

/**
 * @param options.from - a path, or an open file such as standard input (0)
 * @param options.isTemporary - the file is in the data folder, and moved instead of copied
 * @throws ConfigError if the file can't be used
 */
export function restoreBackup(options: {
  dataDir: string
  from: string | number
  isTemporary?: boolean
  now?: () => number
  onStep?: (step: 'copying' | 'checking' | 'placing') => void
}): Restored {
  const { dataDir, now = Date.now, onStep = () => {} } = options
  const file = typeof options.from === 'number' ? options.from : resolve(options.from)
  const from = typeof file === 'number' ? 'This file' : file
  const target = join(dataDir, FILE_NAME)
  const coming = `${target}.restoring`
  if (typeof file === 'string') refuseUnfit(file, target)
  // The journal of a killed restore would be taken for the new copy's.
  removeWith(coming)
  try {
    if (options.isTemporary && typeof file === 'string') renameSync(file, coming)
    else {
      if (typeof file === 'string') refuseFullDisk(resolve(dataDir), statSync(file).size, MAKE_ROOM)
      onStep('copying')
      copy(file, coming)
    }
    onStep('checking')
    refuseOtherFormat(coming, from)
    checkDatabase(coming, 'full', from)
    const schema = readSchema(coming, from)
    flush(coming)
    onStep('placing')
    const keptAs = setAsideOld(target, `${target}.before-restore-${stampOf(now())}`)
    renameSync(coming, target)
    flush(dataDir)
    return { schema, bytes: statSync(target).size, keptAs }
  } catch (error) {
    removeWith(coming)
    throw error
  }
}

function copy(from: string | number, to: string): void {
  try {
    if (typeof from === 'string') copyFileSync(from, to)
    else copyOpenFile(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    throw unreadable(String(from), error)
  }
}

function copyOpenFile(from: number, to: string): void {
  const piece = Buffer.alloc(PIECE_BYTES)
  const out = openSync(to, 'w', 0o600)
  try {
    for (let length = -1; length !== 0; ) {
      length = readSync(from, piece)
      writeFully(out, piece.subarray(0, length))
    }
  } finally {
    closeSync(out)
  }
}

function writeFully(file: number, piece: Buffer): void {
  for (let done = 0; done < piece.length; ) done += writeSync(file, piece, done)
}

function unreadable(path: string, error: unknown): ConfigError {
  const { message, hint } = explainAccess(path, 'read', error, A_BACKUP)
  return new ConfigError(message, hint)
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  } catch (error) {
    throw unreadable(path, error)
  }
}

function refuseUnfit(from: string, target: string): void {
  if (!isFile(from)) {
    const isFolder = existsSync(from)
    throw new ConfigError(isFolder ? `${from} is no file.` : `There is no file ${from}.`, A_BACKUP)
  }
  if (from === resolve(target) || existsSync(`${from}-wal`)) {
    throw new ConfigError(
      `${from} is a database in use, or a copy of one, and not a backup.`,
      'Use a file that `slipstream backup` wrote: a plain copy may lack data still in the log.',
    )
  }
}

/** Of another kind is not damaged, and no disk is to blame. */
function refuseOtherFormat(path: string, from: string): void {
  const beginning = Buffer.alloc(DATABASE_HEADER.length)
  const file = openSync(path, 'r')
  readSync(file, beginning)
  closeSync(file)
  if (beginning.equals(DATABASE_HEADER)) return
  const isPacked = PACKED.some((magic) => beginning.subarray(0, magic.length).equals(magic))
  throw isPacked
    ? new ConfigError(`${from} is compressed.`, 'Unpack it first (`gunzip`, `unzstd` or `unxz`).')
    : new ConfigError(`${from} is not a Slipstream backup.`, A_BACKUP)
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
    throw new ConfigError(`${from} is not a Slipstream backup.`, A_BACKUP)
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
function setAsideOld(target: string, copy: string): string | undefined {
  if (!existsSync(target)) {
    for (const end of LOGS) rmSync(target + end, { force: true })
    return undefined
  }
  emptyLog(target)
  for (const end of LOGS) if (existsSync(target + end)) renameSync(target + end, copy + end)
  linkSync(target, copy)
  return copy
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
