// The database's metadata by name, for example the progress of a slow job, or the place it belongs to.

import type { Db, WriteDb } from './db.ts'
import { perDatabase } from './per-database.ts'

type Value = string | number

const statements = perDatabase((db) => ({
  find: db.prepare<[string], Value>('SELECT value FROM meta WHERE key = ?').pluck(),
  put: db.prepare<[string, Value]>('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)'),
  remove: db.prepare<[string]>('DELETE FROM meta WHERE key = ?'),
}))

/** Returns the value as it was stored. */
export function findMeta<T extends Value>(db: Db, key: string): T | undefined {
  return statements(db).find.get(key) as T | undefined
}

export function putMeta(db: WriteDb, key: string, value: Value): void {
  statements(db).put.run(key, value)
}

export function removeMeta(db: WriteDb, key: string): void {
  statements(db).remove.run(key)
}
