// Which of many pairs of accounts have a block between them, in either direction, direct or by a list in
// force (see lists-in-force.ts). answers/hydrate/load-blocks.ts checks whether labelers took a list down.

import { blockEdges } from '../edges/all-edges.ts'
import { type Db, idList } from './id-list.ts'
import { firstListInForce, listsInForce } from './lists-in-force.ts'

export type Pair = readonly [uid: number, otherUid: number]

const byList = (blocker: string, blocked: string) =>
  `(${firstListInForce('list_blocks', blocker, blocked)}) IS NOT NULL`

const SQL = /* sql */ `
WITH pairs AS MATERIALIZED (SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_each(?))
SELECT a, b FROM pairs WHERE ${byList('a', 'b')} OR ${byList('b', 'a')}`

/**
 * Most accounts block no one: one statement selects those that do, for direct blocks and for blocks
 * by list.
 */
const WITH_LISTS = /* sql */ `
SELECT ids.value FROM json_each(?) ids
WHERE EXISTS (SELECT 1 FROM list_blocks WHERE uid = ids.value)`

const lists = (blocker: string, blocked: string) => listsInForce('list_blocks', blocker, blocked)

const LISTS_BETWEEN = /* sql */ `
WITH pairs AS MATERIALIZED (SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_each(?))
SELECT a, b, l.id, l.id IN (${lists('a', 'b')}) FROM pairs
CROSS JOIN lists l ON l.id IN (${lists('a', 'b')} UNION ${lists('b', 'a')})`

type BlockPairReader = {
  /** The given pairs with a block between them; a pair may be in both. */
  blocked(pairs: Iterable<Pair>): { direct: Pair[]; byList: Pair[] }
  /**
   * The lists in force behind the blocks of these pairs, and whether the first of the pair blocks.
   */
  lists(pairs: readonly Pair[]): [...Pair, list: number, isFirst: 0 | 1][]
}

export function prepareBlockPairs(db: Db): BlockPairReader {
  const select = db.prepare<[string], [number, number]>(SQL).raw()
  const withLists = db.prepare<[string], number>(WITH_LISTS).pluck()
  const lists = db.prepare<[string], [...Pair, number, 0 | 1]>(LISTS_BETWEEN).raw()
  return {
    blocked(given) {
      const pairs = [...given]
      const uids = [...new Set(pairs.flat())]
      const blocks = readBlocks(db, pairs, uids)
      const direct = pairs.filter(([a, b]) => blocks.get(a)?.has(b) || blocks.get(b)?.has(a))
      const owners = new Set(withLists.all(idList(uids)))
      const listed = pairs.filter(([a, b]) => owners.has(a) || owners.has(b))
      if (listed.length === 0) return { direct, byList: [] }
      return { direct, byList: select.all(JSON.stringify(listed)) as unknown as Pair[] }
    },
    lists: (pairs) => lists.all(JSON.stringify(pairs)),
  }
}

/**
 * The accounts that each account blocks among those it is paired with; accounts without blocks are
 * omitted.
 */
function readBlocks(
  db: Db,
  pairs: readonly Pair[],
  uids: readonly number[],
): Map<number, Set<number>> {
  const creators = new Set(blockEdges.creatorsAmong(db, uids))
  if (creators.size === 0) return new Map()
  const both = pairs.flatMap(([a, b]): Pair[] => [
    [a, b],
    [b, a],
  ])
  return blockEdges.subjectsOfEach(
    db,
    both.filter(([creator]) => creators.has(creator)),
  )
}
