// The parts of memory derived from rows, and the settings that determine their content.

import type { FollowGraphWriter, TimelineEntry, TimelineWriter } from '@slipstream/follow-graph'
import type { ActorWriter } from '../../../data/graph/types.ts'

export type Memory = {
  actors: ActorWriter
  graph: FollowGraphWriter
  timelines: TimelineWriter
  /** Writes an item to the open timelines of its originator's followers; returns their number. */
  fanOut: (entry: TimelineEntry, hash: number) => number
  /** Whether a lossy timeline takes the item with this hash: the same draw as in fan-out. */
  isHashDrawn: (owner: number, hash: number) => boolean
  /** From this many member followers on, an author's items are merged at read time. */
  celebrityThreshold: number
  /** Entries of a ring. */
  timelineLength: number
}

const PAGE = 10_000
const page = new Uint32Array(PAGE)

/**
 * Returns the accounts that `creator` follows, as a whole: only for members, whose lists are of
 * human size.
 */
export function followsOf(memory: Pick<Memory, 'graph'>, creator: number): number[] {
  const all: number[] = []
  for (let after = 0, written = PAGE; written === PAGE; after = all.at(-1) ?? 0) {
    written = memory.graph.follows(creator, after, page)
    for (let i = 0; i < written; i++) all.push(page[i]!)
  }
  return all
}

export function setFlag(memory: Pick<Memory, 'actors'>, uid: number, flag: number): void {
  memory.actors.setFlags(uid, memory.actors.flagsOf(uid) | flag)
}

export function clearFlag(memory: Pick<Memory, 'actors'>, uid: number, flag: number): void {
  memory.actors.setFlags(uid, memory.actors.flagsOf(uid) & ~flag)
}
