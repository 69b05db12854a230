// Limits how fast streams are read: a token bucket that refills with time, from which each frame takes its
// cost. A reader that finds the bucket empty waits, and its socket with it. Each stream has a bucket, and all
// streams of labelers that only members named share another, so that reading them takes a small part of the
// thread however many there are.

import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND_MS } from '../../base/util/durations.ts'

export type Pace = {
  /** Resolves when the bucket holds enough, or on abort. */
  take(cost: number, signal: AbortSignal): Promise<void>
}

/** A full bucket holds this many seconds' refill. */
const BURST_SECONDS = 4

/** @param now - milliseconds since any fixed point. */
export function createPace(perSecond: number, now: () => number = () => performance.now()): Pace {
  const most = perSecond * BURST_SECONDS
  let left = most
  let filledAt = now()

  function fill(): void {
    const at = now()
    left = Math.min(most, left + ((at - filledAt) / SECOND_MS) * perSecond)
    filledAt = at
  }

  return {
    async take(cost, signal) {
      fill()
      left -= cost
      const waitMs = (-left / perSecond) * SECOND_MS
      if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined)
    },
  }
}
