// Opens the database: one writer connection (ingest thread) and any number of readers.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { migrate } from './migrate.ts'

export type Db = Database.Database

export const FILE_NAME = 'slipstream.sqlite'
const BUSY_TIMEOUT_MS = 10_000
const CACHE_KIB = 65_536
// Catching up writes the same index pages again and again; the fewer checkpoints, the fewer times.
const CHECKPOINT_PAGES = 16_384

/** Opens for writing, creating and migrating where needed. */
export function openWriter(dataDir: string): Db {
  mkdirSync(dataDir, { recursive: true })
  const db = new Database(join(dataDir, FILE_NAME))
  tune(db)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  migrate(db)
  return db
}

/** Opens for reading a database that a writer has migrated. */
export function openReader(dataDir: string): Db {
  const db = new Database(join(dataDir, FILE_NAME), { readonly: true, fileMustExist: true })
  tune(db)
  return db
}

function tune(db: Db): void {
  db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
  db.pragma(`cache_size = -${CACHE_KIB}`)
}
