// Where to resume, by the rules of the two wires. Pure. A seq is valid only on the instance that gave it:
// with the same host and wire it is the exact position, and is sent inclusively, because a server takes a seq
// it has not reached yet for "live", which could skip events during the handshake. Everywhere else the time
// carries over, less an overlap for clocks and order; applying is idempotent.

import { HOUR_MS } from './durations.ts'
import type { StreamCursor } from './event.ts'
import type { ConsumerLimits } from './limits.ts'

export type Wire = 'v1' | 'v2'

/** A position in a Jetstream; relays number and date events differently. */
export type JetstreamCursor = StreamCursor & { wire: Wire }

export type Resume = {
  /** The `cursor` parameter; undefined: live from now. */
  cursor: number | undefined
  /** The first seq to expect, if resumed by seq. */
  seq: number | undefined
  /**
   * Mark of that event, if it was ever received: a different event with that seq shows that some
   * were lost.
   */
  mark?: string | undefined
}

const LIVE: Resume = { cursor: undefined, seq: undefined }

export function resumeAt(
  position: StreamCursor | undefined,
  target: { host: string; wire: Wire; distrustsSeq: boolean },
  limits: Pick<ConsumerLimits, 'switchOverlapMs' | 'sameHostOverlapMs'>,
): Resume {
  if (!position) return LIVE
  const isSame = position.host === target.host && position.wire === target.wire
  if (isSame && position.seq !== undefined && !target.distrustsSeq) {
    return { cursor: position.seq, seq: position.seq, mark: position.mark }
  }
  const overlapMs = isSame ? limits.sameHostOverlapMs : limits.switchOverlapMs
  return { cursor: Math.max(1e15, position.timeUs - overlapMs * 1000), seq: undefined }
}

/** The newest saved cursor: all hosts carry the same events, so the latest time wins. */
export function newest(cursors: readonly StreamCursor[]): JetstreamCursor | undefined {
  return cursors
    .filter((cursor): cursor is JetstreamCursor => cursor.wire !== 'repos')
    .reduce<JetstreamCursor | undefined>(
      (best, jetstreamCursor) =>
        best && best.timeUs >= jetstreamCursor.timeUs ? best : jetstreamCursor,
      undefined,
    )
}

/** The floor named in a CursorTooOld message. */
export function floorIn(message: string): number | undefined {
  const floor = Number(/floor (\d{1,15})\b/.exec(message)?.[1])
  return floor > 0 ? floor : undefined
}

const BEGINNING_MS = HOUR_MS

/**
 * Whether this is the start of a new data folder that has received nothing yet: a host whose window
 * is younger still has withheld nothing from us.
 */
export function isFirstCursor(cursor: StreamCursor | undefined, nowMs: number): boolean {
  return cursor?.isByClock === true && nowMs - cursor.timeUs / 1000 < BEGINNING_MS
}

/**
 * Latest possible time of the first event, in microseconds, if the host still has what was
 * requested. v1 silently clamps a cursor that is too old; but the event resumed at was received
 * before, and the overlap brings it again. If none was received, only the cursor's age can tell.
 * undefined: the host would have said so.
 */
export function dueBy(
  position: StreamCursor | undefined,
  target: { wire: Wire; resume: Resume; nowMs: number },
  limits: Pick<ConsumerLimits, 'v1WindowMs'>,
): number | undefined {
  const { wire, resume, nowMs } = target
  if (wire === 'v2' || resume.cursor === undefined || !position) return undefined
  const { timeUs } = position
  if (position.isByClock) return timeUs < (nowMs - limits.v1WindowMs) * 1000 ? timeUs : undefined
  return timeUs
}
