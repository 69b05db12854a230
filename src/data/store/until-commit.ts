// Caches a read-only connection's result until the next commit: only one of many requests between two commits
// pays for it, and none misses a commit. The check costs 15 µs, so it runs once per turn of the event loop:
// no client can know yet of a commit made in the turn in which its request arrives.
// https://sqlite.org/pragma.html#pragma_data_version

import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

/** Changes after every commit of another connection. */
const versionOf = perDatabase((db) => {
  const version = db.prepare<[], number>('PRAGMA data_version').pluck()
  let current: number | undefined
  return () => {
    if (current !== undefined) return current
    current = version.get()
    setImmediate(() => {
      current = undefined
    })
    return current
  }
})

/** @param read - receives its previous result */
export function untilCommit<T>(db: Db, read: (last: T | undefined) => T): () => T {
  const version = versionOf(db)
  let cached: { value: T; version: number | undefined } | undefined
  return () => {
    const current = version()
    if (cached?.version !== current || !cached)
      cached = { value: read(cached?.value), version: current }
    return cached.value
  }
}
