// Copies the write-ahead log into the database file. SQLite does so by itself, inside the commit that made
// the log long enough, and that commit then takes a third of a second. A connection on another thread can do
// it as well, while the writer goes on; these functions also show how far it got.
// https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html#pragma_wal_checkpoint

import Database from 'better-sqlite3'
import type { Db } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { isDiskFull } from './disk-full.ts'

/** In pages. The log restarts at the next write once all of it is copied. */
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

/** Length of the database itself, in pages. */
export function pagesOf(db: Db): number {
  return statements(db).pages.get()!
}

/** Copies as much as possible without waiting for other connections. */
export function copyLog(db: Db): LogState {
  return toState(statements(db).copy.get()!)
}

/** Like copyLog, except that a full disk only leaves the log as long as it is. */
export function copyLogIfThereIsSpace(db: Db): void {
  try {
    copyLog(db)
  } catch (error) {
    if (!isDiskFull(error)) throw error
  }
}

/** A connection for checkpoints only, to a database that a writer has opened. */
export function openCheckpointer(file: string): Db {
  return new Database(file, { fileMustExist: true })
}

/** Log length in pages from which the writer checkpoints in its own commits, unconditionally. */
export function limitLog(db: Db, pages: number): void {
  db.pragma(`wal_autocheckpoint = ${pages}`)
}

function toState({ log, checkpointed }: Row): LogState {
  return { length: log, copied: checkpointed }
}
