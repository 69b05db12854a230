// A restored backup keeps a rollback journal until its first opening gives it a write-ahead log instead. A kill on the
// way leaves a journal that a connection for reading cannot roll back, and would refuse the database for good
// (SQLITE_READONLY_ROLLBACK). Whoever opens the file first calls this. https://www.sqlite.org/lockingv3.html#hot_journals

import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'

const BUSY_TIMEOUT_MS = 10_000

const journalOf = (path: string): string => `${path}-journal`

/** Undoes the change in whose middle a process was killed, if there is one. Waits for one that is going on. */
export function rollBackInterrupted(path: string): void {
  if (!existsSync(path) || !existsSync(journalOf(path))) return
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    // Any read does it.
    db.pragma('user_version')
  } finally {
    db.close()
  }
}
