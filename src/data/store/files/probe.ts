// Tests whether SQLite works at all: for the doctor, before there is a database.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Db } from '../db.ts'

/** @throws if its library does not load */
export function sqliteVersion(): string {
  const db = new Database(':memory:')
  const version = db.prepare<[], string>('SELECT sqlite_version()').pluck().get()!
  db.close()
  return version
}

/**
 * Whether a writer and a reader work there at the same time, as Slipstream uses them.
 * @throws the SQLite error
 */
export function canStoreLogIn(folder: string): boolean {
  const path = join(folder, 'probe.sqlite')
  const open: Db[] = []
  try {
    const writer = new Database(path)
    open.push(writer)
    const mode = writer.pragma('journal_mode = WAL', { simple: true })
    writer.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)')
    const reader = new Database(path, { readonly: true })
    open.push(reader)
    return mode === 'wal' && reader.prepare('SELECT x FROM t').pluck().get() === 1
  } finally {
    for (const db of open) db.close()
  }
}
