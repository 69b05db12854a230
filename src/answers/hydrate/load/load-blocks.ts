// Finds which pairs of accounts have a block between them, for viewers that blocks apply to. As in the
// reference, a list no longer blocks once a labeler of the request has taken down the list or its creator.
// Data cached for all requests is independent of labelers, so the result also says which pairs are disputed:
// blocked by a list that some labeler took down.

import type { Pair } from '../../../data/store/read/accounts/block-pairs.ts'
import type { Loader } from '../page.ts'
import type { Reader } from '../reader.ts'
import type { BlockedPairs } from '../types.ts'
import { blockedPairs } from './blocked-pairs.ts'

/** The part of a Reader that a state has, too. */
type ReadFor = Pick<Reader, 'viewer' | 'labelers' | 'now'>

export function loadBlocks(loader: Loader, pairs: Iterable<Pair>, reader: ReadFor): BlockedPairs {
  if (reader.viewer?.seesThroughBlocks) return blockedPairs([])
  const { direct, byList } = loader.readers.blockPairs.blocked(pairs)
  const directly = blockedPairs(direct)
  const only = byList.filter(([a, b]) => !directly.has(a, b))
  if (only.length === 0) return directly
  const { staying, others } = byFirstList(loader, only)
  if (others.length === 0) return blockedPairs([...direct, ...staying])
  const judged = judge(loader, others, reader)
  const inDispute = blockedPairs(judged.inDispute)
  const blocked = [...direct, ...staying, ...judged.staying]
  return { ...blockedPairs(blocked), isDisputed: inDispute.has }
}

/** A list that no one took down blocks whatever the pair's other lists are: most pairs need no more. */
function byFirstList({ readers }: Loader, listed: readonly [...Pair, number][]) {
  const listIds = new Set(listed.map(([, , list]) => list))
  const fallen = new Set([
    ...readers.labels.takenDownLists(listIds, undefined),
    ...readers.takedowns.lists(listIds),
  ])
  const isFallen = ([, , list]: readonly [...Pair, number]) => fallen.has(list)
  return {
    staying: pairsOf(listed.filter((item) => !isFallen(item))),
    others: pairsOf(listed.filter(isFallen)),
  }
}

function judge(loader: Loader, pairs: readonly Pair[], reader: ReadFor) {
  const lists = loader.readers.blockPairs.lists(pairs)
  const listIds = new Set(lists.map(([, , list]) => list))
  const disputed = new Set(loader.readers.labels.takenDownLists(listIds, undefined))
  const fallen = new Set([
    ...takenDownFor(loader, disputed, reader),
    ...loader.readers.takedowns.lists(listIds),
  ])
  return {
    staying: pairsOf(lists.filter(([, , list]) => !fallen.has(list))),
    inDispute: pairsOf(lists.filter(([, , list]) => disputed.has(list))),
  }
}

/** Lists taken down for the labelers of the request. */
function takenDownFor(
  { readers, context }: Loader,
  lists: ReadonlySet<number>,
  { labelers: { redact }, now }: ReadFor,
): number[] {
  if (lists.size === 0 || redact.size === 0) return []
  const labelers = [...redact].map((did) => context.actors.uidOf(did)).filter((uid) => uid !== 0)
  return readers.labels.takenDownLists(lists, { labelers, now })
}

function pairsOf(lists: readonly (readonly [...Pair, ...unknown[]])[]): Pair[] {
  return lists.map(([a, b]) => [a, b] as const)
}
