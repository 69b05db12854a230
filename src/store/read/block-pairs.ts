// Which of many pairs of accounts have a block between them, either way, direct or by a list in
// force (see relations.ts).

import { blockEdges } from '../edges/all-edges.ts'
import { type Db, idList } from './id-list.ts'
import { blockingLists } from './relations.ts'

export type Pair = readonly [uid: number, otherUid: number]

const byList = (blocker: string, blocked: string) => `EXISTS (${blockingLists(blocker, blocked)})`

const SQL = /* sql */ `
WITH pairs AS MATERIALIZED (SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_each(?))
SELECT a, b FROM pairs WHERE ${byList('a', 'b')} OR ${byList('b', 'a')}`

/** Most accounts block nobody: one statement tells who does, of direct blocks and of those by list. */
const WITH_LISTS = /* sql */ `
SELECT ids.value FROM json_each(?) ids
WHERE EXISTS (SELECT 1 FROM list_blocks WHERE uid = ids.value)`

/** Gives back those pairs, as they were passed, between which a block stands. */
export function prepareBlockPairs(db: Db): (pairs: Iterable<Pair>) => Pair[] {
  const select = db.prepare<[string], [number, number]>(SQL).raw()
  const withLists = db.prepare<[string], number>(WITH_LISTS).pluck()
  return (given) => {
    const pairs = [...given]
    const uids = [...new Set(pairs.flat())]
    const blocks = readBlocks(db, pairs, uids)
    const direct = pairs.filter(([a, b]) => blocks.get(a)?.has(b) || blocks.get(b)?.has(a))
    const owners = new Set(withLists.all(idList(uids)))
    const byLists = pairs.filter(([a, b]) => owners.has(a) || owners.has(b))
    if (byLists.length === 0) return direct
    return [...direct, ...(select.all(JSON.stringify(byLists)) as unknown as Pair[])]
  }
}

/** Whom each account blocks of those that it is paired with; nobody: left out. */
function readBlocks(
  db: Db,
  pairs: readonly Pair[],
  uids: readonly number[],
): Map<number, Set<number>> {
  const others = new Map(blockEdges.creatorsAmong(db, uids).map((uid) => [uid, new Set<number>()]))
  if (others.size === 0) return others
  for (const [a, b] of pairs) {
    others.get(a)?.add(b)
    others.get(b)?.add(a)
  }
  for (const [creator, subjects] of others) {
    others.set(creator, new Set(blockEdges.subjectsAmong(db, { creator, subjects })))
  }
  return others
}
