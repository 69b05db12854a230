// What timelines need of nodes that share them; a server alone has neither.

import type { FollowingLogs } from '../sources/logged-source.ts'
import type { PostOutcome, TimelinePost } from '../store/programs/timeline-posts.ts'

export type UpToDate = {
  /**
   * Call before reading the newest entries.
   * @returns whether the engine answered in time
   */
  upToDate(names: readonly string[]): Promise<boolean>
}

export type Followed = UpToDate & {
  /** Keeps these timelines' rows up to date until the returned function is called. */
  follow(names: readonly string[]): () => void
}

/** Timelines that programs post to. */
type SharedTimelines = Followed & {
  /** Keeps their order. */
  post(posts: readonly TimelinePost[]): Promise<PostOutcome[]>
  /** The same on all nodes, once the engine has been reached. */
  cursorKeys(): readonly { id: number; secret: Buffer }[]
}

/** Members' timelines. */
type SharedFollowing = FollowingLogs & UpToDate

export type SharedByNodes = {
  timelines?: SharedTimelines | undefined
  following?: SharedFollowing | undefined
}

/** @param ofFeatures - what a feature shares of others, by their names */
export function sharedByNodes(ofFeatures: Readonly<Record<string, unknown>>): SharedByNodes {
  return (ofFeatures['timelines'] ?? {}) as SharedByNodes
}
