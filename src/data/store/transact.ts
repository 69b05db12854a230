// Runs work inside one write transaction: all or nothing. Readers learn after the commit which rows it
// touched (invalidations.ts).

import type { Db, WriteDb } from './db.ts'
import { invalidationsOf } from './invalidations.ts'
import { perDatabase } from './per-database.ts'

const transaction = perDatabase((db) => db.transaction((work: () => void) => work()))

/** Returns a function that reads the database as of one moment. */
export function atOneMoment<Args extends unknown[], Result>(
  db: Db,
  read: (...args: Args) => Result,
): (...args: Args) => Result {
  return (db as WriteDb).transaction(read)
}

/**
 * Inside a transaction, joins it.
 * @throws the error of `work` or SQLite, after a rollback
 */
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

/** Runs the work and rolls it back. Inside a transaction, the rest of that continues. */
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
