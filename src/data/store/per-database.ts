// Prepared statements belong to one connection and are expensive to create. A table's file wraps its
// statements in `perDatabase`, and its functions then take only the connection: with a `Db`, statements are
// read-only.

import type Database from 'better-sqlite3'
import type { Db, ReadStatement, WriteDb } from './db.ts'

declare const changing: unique symbol

/** A statement that changes rows and returns some (RETURNING): hidden from readers. */
type Changing<Statement> = Statement & { readonly [changing]: true }

export function returning<Statement>(statement: Statement): Changing<Statement> {
  return statement as Changing<Statement>
}

/** The same without statements that write. */
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
