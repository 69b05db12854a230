// How long one request waits for others altogether: what it waits for second may only take what the first
// left over, and all of it what is left of the time that a PDS gives us, which runs from the request's arrival:
// looking up who asks takes of it, too. A request is known by its signal. What is waited for at once counts once.

const arrivedAt = new WeakMap<AbortSignal, number>()
const startedAt = new WeakMap<AbortSignal, number>()

/** A PDS gives up after ten seconds; the turn in the queue, and a busy machine, take some of them. */
export const REQUEST_MAX_WAIT_MS = 7_500

/** Its time runs from then on. */
export function countFrom(signal: AbortSignal, arrival: number): void {
  arrivedAt.set(signal, arrival)
}

/** @returns what is left of `maxWaitMs` since this request first waited for anything; not below 0 */
export function waitLeftMs(signal: AbortSignal, maxWaitMs: number, now: number): number {
  const since = startedAt.get(signal) ?? now
  if (since === now) startedAt.set(signal, now)
  const ofRequest = REQUEST_MAX_WAIT_MS - (now - (arrivedAt.get(signal) ?? since))
  return Math.max(0, Math.min(maxWaitMs - (now - since), ofRequest))
}
