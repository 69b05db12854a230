// A restored backup uses a rollback journal until its first opening switches it to a write-ahead log. A kill
// during that leaves a journal that a read-only connection cannot roll back, so it would refuse the database
// permanently (SQLITE_READONLY_ROLLBACK). The first opener of the file calls this function.
// https://www.sqlite.org/lockingv3.html#hot_journals

import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'

const BUSY_TIMEOUT_MS = 10_000

const journalOf = (path: string): string => `${path}-journal`

/**
 * Rolls back a change that a killed process left half done, if any. Waits for a change in progress.
 */
export function rollBackInterrupted(path: string): void {
  if (!existsSync(path) || !existsSync(journalOf(path))) return
  const db = new Database(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    // Any read triggers the rollback.
    db.pragma('user_version')
  } finally {
    db.close()
  }
}
