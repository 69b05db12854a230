// Total time that one request spends waiting for others: a second wait gets only the time left over by the
// first, and all waits together stay within the PDS's timeout. That runs from the request's arrival, so
// looking up the caller counts too. A request is identified by its signal. Concurrent waits count once.
// What it does after a wait is a turn of its call.

import { type CallTime, inTurn, type MaybeLater } from '../../base/util/turn.ts'

type Request = { arrivedAt: number; time: CallTime }

const requests = new WeakMap<AbortSignal, Request>()
const startedAt = new WeakMap<AbortSignal, number>()

/** A PDS gives up after ten seconds; queueing and a busy machine take some of them. */
export const REQUEST_MAX_WAIT_MS = 7_500

/** Starts the request's time at its arrival. */
export function countFrom(signal: AbortSignal, request: Request): void {
  requests.set(signal, request)
}

/** Does part of the request's work in a turn of its call, however many waits came before. */
export function inTurnOf<T>(signal: AbortSignal, work: () => MaybeLater<T>): MaybeLater<T> {
  return inTurn({ time: requests.get(signal)?.time }, work)
}

/** Counts what is done for the request in no turn of its call. */
export function chargeFor(signal: AbortSignal, ms: number): void {
  requests.get(signal)?.time.addElsewhere(ms)
}

/** @returns the rest of `maxWaitMs` since this request first waited for anything; at least 0 */
export function waitLeftMs(signal: AbortSignal, maxWaitMs: number, now: number): number {
  const since = startedAt.get(signal) ?? now
  if (since === now) startedAt.set(signal, now)
  const ofRequest = REQUEST_MAX_WAIT_MS - (now - (requests.get(signal)?.arrivedAt ?? since))
  return Math.max(0, Math.min(maxWaitMs - (now - since), ofRequest))
}
