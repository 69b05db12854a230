// What a connection that only reads has read, kept until anybody commits: of the many requests between two commits one
// pays for it, and none misses what was committed. Whether anybody did is asked once in a turn of the event loop, since
// that alone costs 15 µs: nobody was told of a commit in whose turn a request comes.
// https://sqlite.org/pragma.html#pragma_data_version

import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

/** Another one after every commit of somebody else. */
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

/** @param read - is given what it read last */
export function untilCommit<T>(db: Db, read: (last: T | undefined) => T): () => T {
  const version = versionOf(db)
  let kept: { value: T; version: number | undefined } | undefined
  return () => {
    const current = version()
    if (kept?.version !== current || !kept) kept = { value: read(kept?.value), version: current }
    return kept.value
  }
}
