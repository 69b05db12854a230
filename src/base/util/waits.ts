// Bounded waits: for work that may take too long or be aborted, and for a period of time.

import { setTimeout as sleep } from 'node:timers/promises'

/** @returns undefined if it takes longer; the work continues, but its outcome is ignored */
export function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/**
 * For work that does not observe the signal itself: once aborted, `reason` is thrown while the work
 * continues.
 */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  reason: () => unknown = () => signal.reason,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(reason())
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}

/** Ends early if aborted, and never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
