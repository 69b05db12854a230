// For what is to happen now and then at most, however often it is asked for: a line in the log, a look at something.

import { LruMap } from './lru.ts'

/** @returns whether it may be now: true at once, and then as soon as `everyMs` have passed since the last time. */
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
  /** It may be at once again. */
  open(thing: string): void
}

/** The same for each of many things, of which the `max` latest are remembered. */
export function createThingGate(everyMs: number, max: number, now: () => number): ThingGate {
  const asked = new LruMap<string, number>(max)
  return {
    mayAsk(thing) {
      if (now() - (asked.get(thing) ?? -Infinity) < everyMs) return false
      asked.set(thing, now())
      return true
    },
    open: (thing) => asked.delete(thing),
  }
}
