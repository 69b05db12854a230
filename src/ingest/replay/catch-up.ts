// Decides whether a replay has reached the main stream's position at the replay's start. Pure.
//
// On the same host the seq decides. Another host stamps and orders events by its own clock: there the replay
// must be past that time by an overlap, or have seen a beacon's event and, since then, an overlap of that
// host's time or of silence. How long that took here says nothing: a slow thread is not a silent host.

import type { StreamCursor, StreamEvent } from '@slipstream/jetstream'
import type { StreamHead } from './stream-head.ts'

export type CatchUp = {
  /** @returns true as soon as the replay may end, the host having been silent for `silentMs`. */
  isOver(silentMs: number): boolean
  note(batch: { events: readonly StreamEvent[]; cursor: StreamCursor }): void
}

export function createCatchUp(head: StreamHead, options: { overlapMs: number }): CatchUp {
  const { overlapMs } = options
  const revs = new Map(head.beacons.map(({ did, rev }) => [did, rev]))
  let isMet = false
  /** By the replaying host's clock. */
  let beaconAtUs: number | undefined

  function isBeaconPassed(event: StreamEvent): boolean {
    const rev = revs.get(event.did)
    return rev !== undefined && event.kind === 'commit' && event.rev >= rev
  }

  return {
    isOver: (silentMs) => isMet || (beaconAtUs !== undefined && silentMs >= overlapMs),
    note({ events, cursor }) {
      if (events.some(isBeaconPassed)) beaconAtUs ??= cursor.timeUs
      isMet ||= isPast(cursor, head.cursor, overlapMs)
      isMet ||= beaconAtUs !== undefined && cursor.timeUs >= beaconAtUs + overlapMs * 1000
    },
  }
}

function isPast(cursor: StreamCursor, head: StreamCursor, overlapMs: number): boolean {
  const isSameHost = cursor.host === head.host
  if (isSameHost && cursor.seq !== undefined && head.seq !== undefined)
    return cursor.seq >= head.seq
  return cursor.timeUs >= head.timeUs + overlapMs * 1000
}
