// Whether a replay has met the main stream where it was when the replay began. Pure.
//
// On the same host a seq says it exactly. Otherwise times do, and another host stamps and orders
// events by its own clock: there it must be past by an overlap, or a beacon's event must have come,
// and then as much time go by.

import type { StreamCursor, StreamEvent } from '../../base/event.ts'
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
