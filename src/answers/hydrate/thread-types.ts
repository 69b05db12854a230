import type { FeedState } from './types.ts'

export type ThreadHydration = {
  /** posts.id */
  anchor: number
  /** posts.id of all other posts. */
  ids: readonly number[]
}

/** `blocks` holds those between each post's author and its parent's author. */
export type ThreadState = FeedState & {
  /** at-URIs of the likes by the thread's owner, by posts.id. */
  opLikes: Map<number, string>
  /** posts.id of posts whose moderators' tag sets them aside, or moves them below the others. */
  tagged: { aside: ReadonlySet<number>; bumpedDown: ReadonlySet<number> }
}
