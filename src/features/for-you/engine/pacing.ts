// Adapts the two limits to the stream: how many accounts are sampled, so that a full recent log reaches back a
// day, and the least rank for the lasting log, so that a full one reaches back two weeks. Looked at again each
// time a thirty-second of a log was written.

import { EVERYONE, H, type Log, type State } from './layout.ts'
import { headOf, sizeOf, spanOf } from './log.ts'
import { DAY_MINUTES } from './minutes.ts'

const RECENT_SPAN = DAY_MINUTES
const LASTING_SPAN = 14 * DAY_MINUTES
const LOOKS = 32
/** The largest change of a limit at once. */
const STEP = 1.08
const LEAST_ADMITTED = 2 ** 20
const FIRST_THRESHOLD = 0.001

function isTurn(state: State, log: Log): boolean {
  return headOf(state, log) % Math.max(1, Math.floor(log.capacity / LOOKS)) === 0
}

/** Of `span` compared with what it should be, at most one step. */
function step(span: number, wanted: number): number {
  return Math.min(STEP, Math.max(1 / STEP, span / wanted))
}

/** Called after each like that was written to the recent log. */
export function paceRecent(state: State): void {
  if (!isTurn(state, state.recent)) return
  const { header, recent } = state
  if (sizeOf(state, recent) < recent.capacity) return
  const admitted = (header[H.admitted]! >>> 0) * step(spanOf(state, recent), RECENT_SPAN)
  header[H.admitted] = Math.min(EVERYONE, Math.max(LEAST_ADMITTED, Math.floor(admitted))) | 0
}

/** Called after each like that went to the lasting log because of the threshold. */
export function paceLasting(state: State): void {
  if (!isTurn(state, state.lasting)) return
  const { headerFloats, lasting } = state
  const threshold = headerFloats[H.threshold]!
  if (sizeOf(state, lasting) < lasting.capacity) {
    headerFloats[H.threshold] = threshold < FIRST_THRESHOLD ? 0 : threshold / STEP
    return
  }
  const raised = Math.max(threshold, FIRST_THRESHOLD) / step(spanOf(state, lasting), LASTING_SPAN)
  headerFloats[H.threshold] = raised < FIRST_THRESHOLD ? 0 : raised
}
