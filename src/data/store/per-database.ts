// Prepared statements belong to one connection and are costly to make. A table's file wraps its
// statements in `perDatabase`, and its functions then take nothing but the connection: with a `Db` the
// statements can only be read.

import type Database from 'better-sqlite3'
import type { Db, ReadStatement, WriteDb } from './db.ts'

declare const changing: unique symbol

/** A statement that changes rows and gives some of them (RETURNING): no reader sees it. */
type Changing<Statement> = Statement & { readonly [changing]: true }

export function returning<Statement>(statement: Statement): Changing<Statement> {
  return statement as Changing<Statement>
}

/** The same without what writes. */
type Readable<T> = T extends { readonly [changing]: true }
  ? never
  : T extends Database.Statement<infer Bind extends unknown[], infer Row>
    ? ReadStatement<Bind, Row>
    : T extends
          | ((...args: never[]) => unknown)
          | ReadonlyMap<unknown, unknown>
          | ReadonlySet<unknown>
      ? T
      : { readonly [Key in keyof T]: Readable<T[Key]> }

export type PerDatabase<T> = {
  (db: WriteDb): T
  (db: Db): Readable<T>
}

export function perDatabase<T>(prepare: (db: WriteDb) => T): PerDatabase<T> {
  const known = new WeakMap<Db, T>()
  const preparedFor = (db: Db) => {
    const found = known.get(db)
    if (found) return found
    const prepared = prepare(db as WriteDb)
    known.set(db, prepared)
    return prepared
  }
  return preparedFor as PerDatabase<T>
}
