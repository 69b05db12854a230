// Total time that one request spends waiting for others: a second wait gets only the time left over by the
// first, and all waits together stay within the PDS's timeout. That runs from the request's arrival, so
// looking up the caller counts too. A request is identified by its signal. Concurrent waits count once.

const arrivedAt = new WeakMap<AbortSignal, number>()
const startedAt = new WeakMap<AbortSignal, number>()

/** A PDS gives up after ten seconds; queueing and a busy machine take some of them. */
export const REQUEST_MAX_WAIT_MS = 7_500

/** Starts the request's time at its arrival. */
export function countFrom(signal: AbortSignal, arrival: number): void {
  arrivedAt.set(signal, arrival)
}

/** @returns the rest of `maxWaitMs` since this request first waited for anything; at least 0 */
export function waitLeftMs(signal: AbortSignal, maxWaitMs: number, now: number): number {
  const since = startedAt.get(signal) ?? now
  if (since === now) startedAt.set(signal, now)
  const ofRequest = REQUEST_MAX_WAIT_MS - (now - (arrivedAt.get(signal) ?? since))
  return Math.max(0, Math.min(maxWaitMs - (now - since), ofRequest))
}
