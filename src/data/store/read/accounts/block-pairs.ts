// Which of many pairs of accounts have a block between them, in either direction, direct or by a list in
// force (see lists-in-force.ts). answers/hydrate/load/load-blocks.ts checks whether labelers took a list down.

import { blockEdges } from '../../edges/all-edges.ts'
import { type Db, idList } from '../id-list.ts'
import { firstListInForce, listsInForce } from '../lists/lists-in-force.ts'

export type Pair = readonly [uid: number, otherUid: number]

const firstList = (blocker: string, blocked: string) =>
  firstListInForce('list_blocks', blocker, blocked)

const SQL = /* sql */ `
WITH pairs AS MATERIALIZED (SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_each(?)),
firsts AS (SELECT a, b, coalesce(${firstList('a', 'b')}, ${firstList('b', 'a')}) AS list FROM pairs)
SELECT a, b, list FROM firsts WHERE list IS NOT NULL`

/**
 * Most accounts block no one: one statement selects those that do, for direct blocks and for blocks
 * by list.
 */
const WITH_LISTS = /* sql */ `
SELECT ids.value FROM json_each(?) ids
WHERE EXISTS (SELECT 1 FROM list_blocks WHERE uid = ids.value)`

/** No one blocks by more lists that labelers took down. */
const MOST_BETWEEN = 16
const lists = (blocker: string, blocked: string) =>
  `SELECT list FROM (${listsInForce('list_blocks', blocker, blocked)} LIMIT ${MOST_BETWEEN})`

const LISTS_BETWEEN = /* sql */ `
WITH pairs AS MATERIALIZED (SELECT value ->> 0 AS a, value ->> 1 AS b FROM json_each(?))
SELECT a, b, l.id, l.id IN (${lists('a', 'b')}) FROM pairs
CROSS JOIN lists l ON l.id IN (${lists('a', 'b')} UNION ${lists('b', 'a')})`

type BlockPairReader = {
  /**
   * The given pairs with a block between them; a pair may be in both. By list: with one of the
   * lists in force.
   */
  blocked(pairs: Iterable<Pair>): { direct: Pair[]; byList: [...Pair, list: number][] }
  /**
   * The lists in force behind the blocks of these pairs, and whether the first of the pair blocks;
   * at most 16 of each.
   */
  lists(pairs: readonly Pair[]): [...Pair, list: number, isFirst: 0 | 1][]
}

export function prepareBlockPairs(db: Db): BlockPairReader {
  const select = db.prepare<[string], [...Pair, number]>(SQL).raw()
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
      return { direct, byList: select.all(JSON.stringify(listed)) }
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
