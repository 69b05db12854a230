// The stream's position by received events, and the gaps on the way.
//
// A reconnection resumes from the position, and a batch saves it. It moves with every event; its time never
// goes back, although wire times are only nearly in order and an overlap is replayed after a change of host.
// A gap is opened when noticed, and closed by the first event after it, which marks its end.

import type { StreamCursor, StreamGap, StreamItem } from './event.ts'
import { markOf } from './frames/event-mark.ts'
import type { JetstreamCursor, Wire } from './resume.ts'

export type Position = {
  /** undefined: nothing was ever received or saved. */
  current(): StreamCursor | undefined
  /** Live from `timeUs` before any event has arrived, so that a reconnection leaves no gap. */
  startAt(cursor: JetstreamCursor): void
  advance(host: string, wire: Wire, event: StreamItem): void
  openGap(host: string, cause: StreamGap['cause']): void
  /** @returns the gap that `event` ends, if one is open and could have contained something. */
  closeGap(event: StreamItem): StreamGap | undefined
  /** The connection ended before any event: the missing part will be requested again. */
  dropGap(): void
}

export function createPosition(saved: JetstreamCursor | undefined, now: () => number): Position {
  let host = saved?.host ?? ''
  let wire: Wire = saved?.wire ?? 'v2'
  let seq = saved?.seq
  let timeUs = saved?.timeUs ?? 0
  let gap: Omit<StreamGap, 'toUs'> | undefined
  let isByOurClock = saved?.isByClock ?? false
  let mark = saved?.mark
  /** Not marked yet: marks are made once for a batch, not for every event. */
  let last: StreamItem | undefined

  function advance(eventHost: string, eventWire: Wire, event: StreamItem): void {
    host = eventHost
    wire = eventWire
    seq = event.seq
    last = event
    // Our clock may be ahead of the host's: gaps would be dated after their end, and events be
    // skipped.
    if (isByOurClock) timeUs = Math.min(timeUs, event.timeUs)
    isByOurClock = false
    if (event.timeUs <= timeUs) return
    // A time in the future must not make a later resume skip events.
    timeUs = Math.max(timeUs, Math.min(event.timeUs, now() * 1000 + 999))
  }

  function closeGap(event: StreamItem): StreamGap | undefined {
    const open = gap
    gap = undefined
    if (!open) return undefined
    // While the overlap of a resume is replayed, a frame's time says nothing about what was lost.
    const isLost = open.cause === 'dropped-frame'
    if (event.timeUs <= open.fromUs) return isLost ? { ...open, toUs: open.fromUs } : undefined
    return { ...open, toUs: event.timeUs }
  }

  function current(): StreamCursor | undefined {
    if (timeUs === 0) return undefined
    if (last) mark = last.seq === undefined ? undefined : markOf(last)
    last = undefined
    const cursor = { host, wire, seq, timeUs, ...(mark === undefined ? {} : { mark }) }
    return isByOurClock ? { ...cursor, isByClock: true } : cursor
  }

  return {
    current,
    startAt: (cursor) => {
      ;({ host, wire, seq, timeUs } = cursor)
      mark = last = undefined
      isByOurClock = true
    },
    advance,
    openGap: (gapHost, cause) => {
      if (timeUs > 0) gap ??= { host: gapHost, fromUs: timeUs, cause }
    },
    closeGap,
    dropGap: () => {
      gap = undefined
    },
  }
}
