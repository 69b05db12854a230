// Builds a member's timeline from rows, after an absence or a restart: the newest items of the member and
// everyone they follow that the draw keeps, without authors that are merged at read time. Rows are read in
// time windows that double backwards, so that a busy timeline reads hours and a quiet one years.

import { newestFirst, type TimelineEntry } from '@slipstream/follow-graph'
import { HOUR_MS } from '../../../base/util/durations.ts'
import { CELEBRITY } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import {
  type FeedItem,
  hashOfItem,
  itemsForOwner,
} from '../../../data/store/timelines/feed-items.ts'
import type { Memory } from './memory.ts'

const FIRST_WINDOW_MS = 6 * HOUR_MS

/** Materialises the timeline, again if it is open already. */
export function openTimeline(db: Db, memory: Memory, owner: number, now: number): void {
  const { entries, truncated } = buildTimeline(db, memory, owner, now)
  memory.timelines.open(owner, entries, truncated)
}

/** Newest first; `truncated` if older items are left in the rows. */
export function buildTimeline(
  db: Db,
  memory: Memory,
  owner: number,
  now: number,
): { entries: TimelineEntry[]; truncated: boolean } {
  const entries: TimelineEntry[] = []
  let to = Number.MAX_SAFE_INTEGER
  for (let width = FIRST_WINDOW_MS; to > 0 && entries.length <= memory.timelineLength; width *= 2) {
    const from = Math.max(0, Math.min(to, now) - width)
    const window = itemsForOwner(db, owner, { from, to })
    entries.push(...window.filter((entry) => isTaken(memory, owner, entry)).sort(newestFirst))
    to = from
  }
  const truncated = entries.length > memory.timelineLength
  return { entries: entries.slice(0, memory.timelineLength), truncated }
}

function isTaken(memory: Memory, owner: number, entry: FeedItem): boolean {
  const { originator } = entry
  if (originator === owner) return true
  if (memory.actors.flagsOf(originator) & CELEBRITY) return false
  return memory.isHashDrawn(owner, hashOfItem(memory.actors, entry))
}
