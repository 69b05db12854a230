// When an address that has used up its time gets its next refusal: a few at once, then one after another. Whoever
// asks over many connections waits longer, on all of them.

import { LruMap } from '../../../base/util/lru.ts'

type RefusalPace = {
  /** @returns how long the next one waits in milliseconds; 0 if `mostWaiting` do already */
  next(address: string, mostWaiting: number): number
  /** One that waited is over. */
  leave(address: string): void
}

const EVERY_MS = 200
const BURST_MS = 2_000
/** No longer than a window of the limits. */
const LONGEST_MS = 300_000
const MAX_ADDRESSES = 8_192

export function createRefusalPace(now: () => number = () => performance.now()): RefusalPace {
  const paces = new LruMap<string, { nextMs: number; waiting: number }>(MAX_ADDRESSES)
  return {
    next(address, mostWaiting) {
      const nowMs = now()
      const pace = paces.get(address) ?? { nextMs: nowMs - BURST_MS, waiting: 0 }
      paces.set(address, pace)
      if (pace.waiting >= mostWaiting) return 0
      pace.nextMs = Math.max(pace.nextMs, nowMs - BURST_MS) + EVERY_MS
      const waitMs = Math.min(Math.max(pace.nextMs - nowMs, 0), LONGEST_MS)
      pace.nextMs = Math.min(pace.nextMs, nowMs + LONGEST_MS)
      if (waitMs > 0) pace.waiting += 1
      return waitMs
    },
    leave(address) {
      const pace = paces.get(address)
      if (pace && pace.waiting > 0) pace.waiting -= 1
    },
  }
}
