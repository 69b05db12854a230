// Fan-out on write: inserts a new item into the open timelines of its originator's followers, with one draw
// per timeline. Celebrities' items are not fanned out; readers merge them. So one fan-out writes fewer than
// SLIPSTREAM_CELEBRITY_THRESHOLD timelines and runs in one go.

import {
  forEachOpenFollower,
  type OpenFollowersContext,
  type TimelineEntry,
  type TimelineWriter,
} from '@slipstream/follow-graph'
import type { IsDrawn } from '../../../data/graph/lossiness.ts'
import { type ActorReader, CELEBRITY } from '../../../data/graph/types.ts'

type FanOutContext = OpenFollowersContext & {
  actors: Pick<ActorReader, 'flagsOf'>
  timelines: Pick<TimelineWriter, 'insert'>
  /** Takes items' hashes. */
  isHashDrawn: IsDrawn
}

/**
 * Timelines that took the item, without the originator's own, and timelines that dropped it because
 * of their limit.
 */
export type FanOut = { written: number; leftOut: number }

/** @param hash - the entry's `itemHash`. */
export function fanOut(context: FanOutContext, entry: TimelineEntry, hash: number): FanOut {
  const { actors, timelines, isHashDrawn } = context
  if (actors.flagsOf(entry.originator) & CELEBRITY) return { written: 0, leftOut: 0 }
  let written = 0
  let leftOut = 0
  forEachOpenFollower(context, entry.originator, (owner) => {
    if (!isHashDrawn(owner, hash)) {
      leftOut++
      return
    }
    timelines.insert(owner, entry)
    written++
  })
  return { written, leftOut }
}
