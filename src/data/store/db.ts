// Opens the database: one writer connection (ingest thread) and any number of readers. Readers hold a `Db`,
// which can't change rows: functions that write take a `WriteDb`, and in the ingest thread only the writer
// has one (ingest/indexing/writer.ts), which it lends for the duration of a commit.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { makeDataFolder } from './files/data-folder.ts'
import { rollBackInterrupted } from './files/interrupted.ts'
import {
  backUpBeforeUpgrade,
  removeOlderBackups,
  type UpgradeBackup,
} from './files/upgrade-backup.ts'
import { migrate, schemaVersion } from './migrate.ts'

/** The read-only part of a prepared statement. */
export interface ReadStatement<Bind extends unknown[], Row = unknown> {
  get(...params: Bind): Row | undefined
  all(...params: Bind): Row[]
  iterate(...params: Bind): IterableIterator<Row>
  pluck(isOn?: boolean): this
  raw(isOn?: boolean): this
}

/** The readers' interface: rows as last committed, or as of one moment (transact.ts). */
export interface Db {
  readonly open: boolean
  prepare<Bind extends object = unknown[], Row = unknown>(
    source: string,
  ): Bind extends unknown[] ? ReadStatement<Bind, Row> : ReadStatement<[Bind], Row>
  /** Path of the file. */
  readonly name: string
  pragma(source: string, options?: Database.PragmaOptions): unknown
  close(): void
}

/**
 * The writer's connection, lent for the duration of a commit. It also reads its own uncommitted
 * writes.
 */
export type WriteDb = Database.Database

export const FILE_NAME = 'slipstream.sqlite'
const BUSY_TIMEOUT_MS = 10_000
const CACHE_KIB = 65_536
// Catching up rewrites the same index pages again and again: fewer checkpoints write them fewer
// times.
const CHECKPOINT_PAGES = 16_384
/** Size to which a log that was once longer is cut when it restarts. */
const LOG_FILE_BYTES = 64 * 1024 * 1024

/** Page cache of a connection, in KiB. */
type PageCache = { cacheKib?: number }

type WriterOptions = PageCache & {
  /** Whether a database with an older schema is copied before its upgrade. */
  upgradeBackup?: boolean
  /** Called before an upgrade, with the copy that was made first. */
  onUpgrade?: (upgrade: UpgradeBackup & { to: number }) => void
}

/**
 * Opens for writing; creates and migrates as needed.
 * @throws ConfigError if the database is from a newer Slipstream, or the disk has no room for the
 * copy that an upgrade begins with
 */
export function openWriter(
  dataDir: string,
  { upgradeBackup = true, onUpgrade, cacheKib }: WriterOptions = {},
): WriteDb {
  makeDataFolder(dataDir)
  const path = join(dataDir, FILE_NAME)
  rollBackInterrupted(path)
  const backup = upgradeBackup ? backUpBeforeUpgrade(path, schemaVersion) : undefined
  if (backup) onUpgrade?.({ ...backup, to: schemaVersion })
  const db = openMigrated(path, { cacheKib })
  if (backup) removeOlderBackups(path, schemaVersion)
  return db
}

function openMigrated(path: string, pages: PageCache): WriteDb {
  const db = new Database(path)
  tune(db, pages)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  db.pragma(`journal_size_limit = ${LOG_FILE_BYTES}`)
  migrate(db)
  return db
}

/** Opens for reading a database that a writer has migrated. */
export function openReader(dataDir: string, pages: PageCache = {}): Db {
  return openReadOnly(dataDir, pages)
}

/** The same with the full interface of a connection: statements that would change a row fail. */
export function openReadOnly(dataDir: string, pages: PageCache = {}): Database.Database {
  const path = join(dataDir, FILE_NAME)
  rollBackInterrupted(path)
  const db = new Database(path, { readonly: true, fileMustExist: true })
  tune(db, pages)
  return db
}

/** Opens for reading the database as it is now, whatever is written until the connection is closed. */
export function openAtOneMoment(dataDir: string): Database.Database {
  const db = openReadOnly(dataDir)
  db.exec('BEGIN')
  // A transaction begins with its first read.
  db.prepare('SELECT 1 FROM sqlite_schema').get()
  return db
}

function tune(db: WriteDb, { cacheKib = CACHE_KIB }: PageCache): void {
  db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
  db.pragma(`cache_size = -${cacheKib}`)
}
