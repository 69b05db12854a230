// The plain twin of rings.ts: sorted arrays in a Map. For tests, and as a readable reference.

import type {
  TimelineEntry,
  TimelinePosition,
  TimelineSlice,
  TimelineWriter,
} from '@slipstream/follow-graph'

type Timeline = { entries: TimelineEntry[]; floor: TimelinePosition | undefined }

export function createMemoryTimelines(capacity: number): TimelineWriter {
  const timelines = new Map<number, Timeline>()

  /** Sorts and cuts to capacity, remembering the newest removed entry. */
  function settle(timeline: Timeline): void {
    timeline.entries.sort(compare)
    const [left] = timeline.entries.splice(capacity)
    if (left) timeline.floor = left
  }

  return {
    get openCount() {
      return timelines.size
    },
    owners: () => timelines.keys(),
    isOpen: (owner) => timelines.has(owner),
    open(owner, entries, truncated) {
      const timeline: Timeline = { entries: [], floor: undefined }
      for (const entry of entries) {
        if (!timeline.entries.some((other) => compare(other, entry) === 0))
          timeline.entries.push(entry)
      }
      settle(timeline)
      if (truncated) timeline.floor = timeline.entries.at(-1) ?? NEWEST
      timelines.set(owner, timeline)
    },
    close: (owner) => void timelines.delete(owner),
    insert(owner, entry) {
      const timeline = timelines.get(owner)
      if (!timeline || (timeline.floor && compare(entry, timeline.floor) >= 0)) return
      if (timeline.entries.some((other) => compare(other, entry) === 0)) return
      timeline.entries.push(entry)
      settle(timeline)
    },
    remove: (owner, position) =>
      drop(timelines.get(owner), (entry) => compare(entry, position) === 0),
    removeOriginator: (owner, originator) =>
      drop(timelines.get(owner), (entry) => entry.originator === originator),
    read(owner, before, limit): TimelineSlice | undefined {
      const timeline = timelines.get(owner)
      if (!timeline) return undefined
      const older = timeline.entries.filter((entry) => !before || compare(entry, before) > 0)
      return { entries: older.slice(0, limit), truncated: timeline.floor !== undefined }
    },
  }
}

const NEWEST: TimelinePosition = { sortAt: Infinity, rank: Infinity, item: Infinity }

function drop(timeline: Timeline | undefined, isGone: (entry: TimelineEntry) => boolean): void {
  if (timeline) timeline.entries = timeline.entries.filter((entry) => !isGone(entry))
}

/** Compares in reading order: below 0 if `a` is newer. */
function compare(a: TimelinePosition, b: TimelinePosition): number {
  return b.sortAt - a.sortAt || b.rank - a.rank || b.item - a.item
}
