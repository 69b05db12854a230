// How long one request waits for others altogether: what it waits for second may only take what the first
// left over. A request is known by its signal. What is waited for at once counts once.

const startedAt = new WeakMap<AbortSignal, number>()

/** @returns what is left of `maxWaitMs` since this request first waited for anything; not below 0 */
export function waitLeftMs(signal: AbortSignal, maxWaitMs: number, now: number): number {
  const since = startedAt.get(signal) ?? now
  if (since === now) startedAt.set(signal, now)
  return Math.max(0, maxWaitMs - (now - since))
}
