// Carrying what the write-ahead log holds over into the database file. SQLite does it by itself,
// inside of the commit that made the log long enough, and that commit then takes a third of a second.
// A connection on another thread may do it as well, while the writer goes on; what is here lets one
// see how far it got. https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html#pragma_wal_checkpoint

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Db, FILE_NAME } from './db.ts'
import { isDiskFull } from './disk-full.ts'
import { perDatabase } from './per-database.ts'

/** In pages. The log starts anew with the next write once all of it is copied. */
type LogState = { length: number; copied: number }

type Row = { log: number; checkpointed: number }

const statements = perDatabase((db) => ({
  look: db.prepare<[], Row>('PRAGMA wal_checkpoint(NOOP)'),
  copy: db.prepare<[], Row>('PRAGMA wal_checkpoint(PASSIVE)'),
  pages: db.prepare<[], number>('PRAGMA page_count').pluck(),
}))

export function logState(db: Db): LogState {
  return toState(statements(db).look.get()!)
}

/** The database's own length, in pages. */
export function pagesOf(db: Db): number {
  return statements(db).pages.get()!
}

/** Copies what can be without waiting for anybody. */
export function copyLog(db: Db): LogState {
  return toState(statements(db).copy.get()!)
}

/** The same, where a full disk only means that the log stays as long as it is. */
export function copyLogIfThereIsRoom(db: Db): void {
  try {
    copyLog(db)
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}

/** A connection for nothing but this, to a database that a writer has opened. */
export function openCheckpointer(dataDir: string): Db {
  return new Database(join(dataDir, FILE_NAME), { fileMustExist: true })
}

/** From how many pages on the writer does it in its own commits, come what may. */
export function limitLog(db: Db, pages: number): void {
  db.pragma(`wal_autocheckpoint = ${pages}`)
}

function toState({ log, checkpointed }: Row): LogState {
  return { length: log, copied: checkpointed }
}
