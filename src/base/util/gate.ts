// Limits how often something happens, however often it is requested: a log line, or a check.

import { LruMap } from './lru.ts'

/**
 * @returns whether it may happen now: true at first, and again once `everyMs` have passed since the
 * last time.
 */
export function createGate(
  everyMs: number,
  now: () => number = () => performance.now(),
): () => boolean {
  let openedAt = -Infinity
  return () => {
    if (now() - openedAt < everyMs) return false
    openedAt = now()
    return true
  }
}

type ThingGate = {
  mayAsk(thing: string): boolean
  /** Whether it happened lately, without counting this as another time. */
  wasRequested(thing: string): boolean
  /** Allows it again at once. */
  open(thing: string): void
}

/** The same for each of many things; remembers the `max` latest ones. */
export function createThingGate(everyMs: number, max: number, now: () => number): ThingGate {
  const requested = new LruMap<string, number>(max)
  const wasRequested = (thing: string) => now() - (requested.get(thing) ?? -Infinity) < everyMs
  return {
    wasRequested,
    mayAsk(thing) {
      if (wasRequested(thing)) return false
      requested.set(thing, now())
      return true
    },
    open: (thing) => requested.delete(thing),
  }
}
