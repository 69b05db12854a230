// Decides whether a replay has reached the main stream's position at the replay's start. Pure.
//
// On the same host the seq decides. Another host stamps and orders events by its own clock: there the replay
// must be past that time by an overlap, or have seen a beacon's event at least an overlap ago.

import type { StreamCursor, StreamEvent } from '@slipstream/jetstream'
import type { StreamHead } from './stream-head.ts'

export type CatchUp = {
  /** @returns true as soon as the replay may end. */
  isOver(nowMs: number): boolean
  note(batch: { events: readonly StreamEvent[]; cursor: StreamCursor }, nowMs: number): void
}

export function createCatchUp(head: StreamHead, options: { overlapMs: number }): CatchUp {
  const { overlapMs } = options
  const revs = new Map(head.beacons.map(({ did, rev }) => [did, rev]))
  let isMet = false
  let beaconAtMs: number | undefined

  function isBeaconPassed(event: StreamEvent): boolean {
    const rev = revs.get(event.did)
    return rev !== undefined && event.kind === 'commit' && event.rev >= rev
  }

  return {
    isOver: (nowMs) => isMet || (beaconAtMs !== undefined && nowMs >= beaconAtMs + overlapMs),
    note({ events, cursor }, nowMs) {
      isMet ||= isPast(cursor, head.cursor, overlapMs)
      if (events.some(isBeaconPassed)) beaconAtMs ??= nowMs
    },
  }
}

function isPast(cursor: StreamCursor, head: StreamCursor, overlapMs: number): boolean {
  const isSameHost = cursor.host === head.host
  if (isSameHost && cursor.seq !== undefined && head.seq !== undefined)
    return cursor.seq >= head.seq
  return cursor.timeUs >= head.timeUs + overlapMs * 1000
}
