// Runs work inside one write transaction: everything or nothing. What it touched is told to readers
// after the commit (invalidations.ts).

import type { Db, WriteDb } from './db.ts'
import { invalidationsOf } from './invalidations.ts'
import { perDatabase } from './per-database.ts'

const transaction = perDatabase((db) => db.transaction((work: () => void) => work()))

/** What reads the database as it is at one moment. */
export function atOneMoment<Args extends unknown[], Result>(
  db: Db,
  read: (...args: Args) => Result,
): (...args: Args) => Result {
  return (db as WriteDb).transaction(read)
}

/** Within a transaction it is a part of that. @throws what `work` or SQLite throws, after a rollback. */
export function transact(db: WriteDb, work: () => void): void {
  if (db.inTransaction) return transaction(db)(work)
  const invalidations = invalidationsOf(db)
  invalidations.begin()
  try {
    transaction(db).immediate(() => {
      work()
      invalidations.beginCommit()
    })
    invalidations.publish()
  } catch (error) {
    invalidations.drop()
    throw error
  } finally {
    invalidations.endCommit()
  }
}

const TAKEN_BACK = new Error('only tried')

/** What the work would do, of which nothing stays. Within a transaction, the rest of which goes on. */
export function tryOut(db: WriteDb, work: () => void): void {
  try {
    transaction(db)(() => {
      work()
      throw TAKEN_BACK
    })
  } catch (error) {
    if (error !== TAKEN_BACK) throw error
  }
}
