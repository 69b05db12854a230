// Prepared statements belong to one connection and are costly to make. A table's file wraps its
// statements in `perDatabase`, and its functions then take nothing but the connection.

import type { Db } from './db.ts'

export function perDatabase<T>(prepare: (db: Db) => T): (db: Db) => T {
  const known = new WeakMap<Db, T>()
  return (db) => {
    const found = known.get(db)
    if (found) return found
    const prepared = prepare(db)
    known.set(db, prepared)
    return prepared
  }
}
