// Which of many pairs of accounts have a block between them, either way, direct or by a list in
// force (see relations.ts).

import type { Db } from './id-list.ts'
import { blockingLists } from './relations.ts'

export type Pair = readonly [uid: number, otherUid: number]

function blocks(blocker: string, blocked: string): string {
  return /* sql */ `
EXISTS (SELECT 1 FROM blocks b WHERE b.uid = ${blocker} AND b.subject = ${blocked})
OR EXISTS (${blockingLists(blocker, blocked)})`
}

const SQL = /* sql */ `
WITH pairs AS MATERIALIZED (SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_each(?))
SELECT a, b FROM pairs WHERE ${blocks('a', 'b')} OR ${blocks('b', 'a')}`

/** Gives back those pairs, as they were passed, between which a block stands. */
export function prepareBlockPairs(db: Db): (pairs: Iterable<Pair>) => Pair[] {
  const select = db.prepare<[string], [number, number]>(SQL).raw()
  return (pairs) => select.all(JSON.stringify([...pairs])) as unknown as Pair[]
}
