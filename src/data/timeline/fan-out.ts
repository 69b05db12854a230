// Fan-out on write: a new item goes into the open timelines of its originator's followers, each by its own draw.
// Celebrities are not fanned out at all: readers merge them. So one fan-out writes less than
// SLIPSTREAM_CELEBRITY_THRESHOLD timelines, and is done in one go.

import { type ActorReader, CELEBRITY } from '../graph/types.ts'
import type { Keeps } from './lossiness.ts'
import { forEachOpenFollower, type OpenFollowersParts } from './open-followers.ts'
import type { TimelineEntry, TimelineWriter } from './types.ts'

type FanOutParts = OpenFollowersParts & {
  actors: Pick<ActorReader, 'flagsOf'>
  timelines: Pick<TimelineWriter, 'insert'>
  /** Given items' hashes. */
  keepsHash: Keeps
}

/** How many timelines took the item, the originator's own not counted, and how many left it out for their limit. */
export type FanOut = { written: number; leftOut: number }

/** @param hash - the entry's `itemHash`. */
export function fanOut(parts: FanOutParts, entry: TimelineEntry, hash: number): FanOut {
  const { actors, timelines, keepsHash } = parts
  if (actors.flagsOf(entry.originator) & CELEBRITY) return { written: 0, leftOut: 0 }
  let written = 0
  let leftOut = 0
  forEachOpenFollower(parts, entry.originator, (owner) => {
    if (!keepsHash(owner, hash)) {
      leftOut++
      return
    }
    timelines.insert(owner, entry)
    written++
  })
  return { written, leftOut }
}
