// Known gaps that overlap a stretch of a viewer's home timeline: gaps of the whole stream, and those of the
// accounts the viewer follows.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import type { Db } from '../../data/store/db.ts'
import {
  accountGaps,
  accountsWithGaps,
  type Gap,
  gapsTouching,
} from '../../data/store/stream/gaps.ts'

/** Microseconds. */
type Stretch = { fromUs: number; toUs: number }

export function createTimelineGaps({ db, graph }: { db: Db; graph: FollowGraphReader }) {
  /** Returns at most `limit` gaps, the stream's first. */
  return (viewer: number, stretch: Stretch, limit: number): Gap[] => {
    const ofStream = gapsTouching(db, stretch).slice(0, limit)
    const followed = accountsWithGaps(db, stretch).filter(
      (uid) => uid === viewer || graph.has(viewer, uid),
    )
    if (followed.length === 0) return ofStream
    return [...ofStream, ...accountGaps(db, followed.slice(0, limit - ofStream.length))]
  }
}
