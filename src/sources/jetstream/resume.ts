// Where to go on from, by the rules of the two wires. Pure. A seq counts on the instance that gave it and nowhere
// else: with the same host and wire it is the exact place, and is sent inclusively, because a server takes a seq it
// has not reached yet for "live", which could skip what arrives during the handshake. Everywhere else time is what
// carries over, less an overlap for clocks and order; applying is idempotent.

import type { StreamCursor } from '../../base/event.ts'
import { HOUR_MS } from '../../base/util/durations.ts'
import type { ConsumerLimits } from './limits.ts'

export type Wire = 'v1' | 'v2'

export type Resume = {
  /** The `cursor` parameter; undefined: live from now. */
  cursor: number | undefined
  /** The seq that will be the first to come, if it is resumed by seq. */
  seq: number | undefined
  /** Of that event, if it was ever received: another one by the same number tells of lost ones. */
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

/** The newest of what was saved: all hosts carry the same events, so the latest time wins. */
export function newest(cursors: readonly StreamCursor[]): StreamCursor | undefined {
  return cursors.reduce<StreamCursor | undefined>(
    (best, one) => (best && best.timeUs >= one.timeUs ? best : one),
    undefined,
  )
}

/** The floor that a CursorTooOld message names. */
export function floorIn(message: string): number | undefined {
  const floor = Number(/floor (\d{1,15})\b/.exec(message)?.[1])
  return floor > 0 ? floor : undefined
}

const BEGINNING_MS = HOUR_MS

/**
 * Whether this is where a new folder began a moment ago, and nothing ever came since: a host whose
 * window is younger still has kept nothing from us.
 */
export function isFirstCursor(cursor: StreamCursor | undefined, nowMs: number): boolean {
  return cursor?.isByClock === true && nowMs - cursor.timeUs / 1000 < BEGINNING_MS
}

/**
 * When the first event must be, at the latest, if the host keeps what we ask for, in microseconds. v1
 * clamps a cursor that is too old without a word; but what is resumed at was received before, and
 * the overlap brings it again. Where nothing was, only the age of the cursor can tell. undefined: the
 * host would have said so.
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
