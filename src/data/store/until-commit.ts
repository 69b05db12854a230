// What a connection that only reads has read, kept until anybody commits: of the many requests between two commits one
// pays for it, and none misses what was committed. Whether anybody did is asked once in a turn of the event loop, since
// that alone costs 15 µs: nobody was told of a commit in whose turn a request comes.
// https://sqlite.org/pragma.html#pragma_data_version

import type { Db } from './db.ts'

export function untilCommit<T>(db: Db, read: () => T): () => T {
  const version = db.prepare<[], number>('PRAGMA data_version').pluck()
  let kept: { value: T; version: number | undefined } | undefined
  let isAsked = false

  function ask(): void {
    isAsked = true
    setImmediate(() => {
      isAsked = false
    })
    const current = version.get()
    if (kept?.version !== current) kept = { value: read(), version: current }
  }

  return () => {
    if (!isAsked || !kept) ask()
    return kept!.value
  }
}
