// The author feed filter `posts_and_author_threads` shows a reply only if the feed holds every ancestor up to
// the thread's root: then the author is continuing their own thread, not replying to another account.

import { isRepostItem, rowIdOf } from '../../../data/store/timelines/item-ids.ts'

/** Facts about each item, in the order of the items. */
type Facts = { parent: number; isReply: boolean; cid: string }

/** @returns ids of the posts among `items` that are roots or have all their ancestors among them */
export function completeSelfThreads(
  items: readonly number[],
  facts: readonly Facts[],
): Set<number> {
  const inFeed = new Map<number, Facts>()
  for (const [i, item] of items.entries()) {
    if (!isRepostItem(item)) inFeed.set(rowIdOf(item), facts[i]!)
  }
  return new Set([...inFeed.keys()].filter((post) => reachesRoot(inFeed, post)))
}

/**
 * A chain has at most as many posts as the feed, which also ends the cycles that bad records can
 * form.
 */
function reachesRoot(inFeed: ReadonlyMap<number, Facts>, from: number): boolean {
  let post = from
  for (let steps = 0; steps <= inFeed.size; steps++) {
    const found = inFeed.get(post)
    // A post without a CID has no record.
    if (!found?.cid) return false
    if (!found.isReply) return true
    post = found.parent
  }
  return false
}
