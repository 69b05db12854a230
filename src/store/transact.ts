// Runs work inside one write transaction: everything or nothing.

import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

const transaction = perDatabase((db) => db.transaction((work: () => void) => work()))

/** @throws what `work` or SQLite throws, after a rollback. */
export function transact(db: Db, work: () => void): void {
  transaction(db).immediate(work)
}
