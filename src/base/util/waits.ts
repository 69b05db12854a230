// Waits that have an end: for work that may take too long or be called off, and for nothing but time.

import { setTimeout as sleep } from 'node:timers/promises'

/** @returns undefined where it takes longer; it goes on, and what becomes of it is nobody's any more */
export function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** For work that does not hear the signal itself: once it is aborted, `reason` is thrown, and the work goes on. */
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

/** Ends early when it is called off, and never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
}
