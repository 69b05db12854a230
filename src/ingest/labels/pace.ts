// How fast streams are read: a bucket that fills with time, from which each frame takes what it costs to read.
// Whoever finds it empty waits, and with them the socket. One bucket for each stream, and one for all
// streams of labelers that only members named, so that however many there are, reading them takes a small
// part of the thread.

import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND_MS } from '../../base/util/durations.ts'

export type Pace = {
  /** Resolves when there was enough, or the signal says so. */
  take(cost: number, signal: AbortSignal): Promise<void>
}

/** A bucket holds what comes in so many seconds. */
const BURST_SECONDS = 4

/** @param now - milliseconds, of any beginning. */
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
