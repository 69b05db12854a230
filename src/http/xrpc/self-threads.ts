// The author feed filter `posts_and_author_threads` shows a reply only where the feed holds the whole
// way up to the thread's root: then the author is talking on, not answering somebody.

import { isRepostItem, rowIdOf } from '../../data/store/item-ids.ts'

/** What there is to know about an item, in the order of the items. */
type Facts = { parent: number; isReply: boolean; cid: string }

/** @returns ids of the posts among `items` that are roots, or stand on a complete way up to one. */
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

/** A way up is at most as long as the feed: a circle, which bad records can draw, ends it too. */
function reachesRoot(inFeed: ReadonlyMap<number, Facts>, from: number): boolean {
  let post = from
  for (let steps = 0; steps <= inFeed.size; steps++) {
    const found = inFeed.get(post)
    // Without a CID there is no record.
    if (!found?.cid) return false
    if (!found.isReply) return true
    post = found.parent
  }
  return false
}
