// What a thread is hydrated to, see load-thread.ts.

import type { FeedState } from './types.ts'

export type ThreadHydration = {
  /** posts.id */
  anchor: number
  /** All others. */
  ids: readonly number[]
  /** Whether those who like the anchor and whom the viewer follows are wanted. */
  knownLikers?: boolean
}

/** `blocks` holds those between the author of a post and that of its parent. */
export type ThreadState = FeedState & {
  /** What the thread's owner likes: at-URIs of the likes, by posts.id. */
  opLikes: Map<number, string>
  /** posts.id of those with a moderators' tag that lets them stand aside, or come after the others. */
  tagged: { aside: ReadonlySet<number>; bumpedDown: ReadonlySet<number> }
  /** How many of the followed like the anchor, and the latest of them. Undefined for none. */
  knownLikers: { count: number; uids: number[] } | undefined
}
