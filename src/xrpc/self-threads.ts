// The author feed filter `posts_and_author_threads` shows a reply only where the feed holds the whole
// way up to the thread's root: then the author is talking on, not answering somebody.

import type { FeedState } from '../hydrate/types.ts'
import { isRepostItem, rowIdOf } from '../store/item-ids.ts'

/** @returns ids of the posts among `items` that are roots, or stand on a complete way up to one. */
export function completeSelfThreads(state: FeedState, items: readonly number[]): Set<number> {
  const inFeed = new Set(items.filter((item) => !isRepostItem(item)).map(rowIdOf))
  return new Set([...inFeed].filter((post) => reachesRoot(state, inFeed, post)))
}

/** A way up is at most as long as the feed: a circle, which bad records can draw, ends it too. */
function reachesRoot(state: FeedState, inFeed: ReadonlySet<number>, from: number): boolean {
  let post = from
  for (let steps = 0; steps <= inFeed.size; steps++) {
    const found = inFeed.has(post) ? state.posts.get(post) : undefined
    if (!found) return false
    if (!found.record.reply) return true
    post = found.parent ?? 0
  }
  return false
}
