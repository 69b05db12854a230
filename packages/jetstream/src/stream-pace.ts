// Whether the stream brings more events than it ever does live. Catching up then needs all of the thread's
// time: jobs that nobody waits for, such as the names of newly seen accounts, can come later.

import { SECOND_MS } from './durations.ts'

/** The network's peaks are 2,000 to 4,000 events a second. */
const CATCHING_UP_PER_S = 5_000
const MEASURED_MS = 250

type StreamPace = {
  count(events: number): void
  /** By the last quarter of a second or longer. */
  isCatchingUp(): boolean
}

/** @param now - milliseconds from any start */
export function createStreamPace(now: () => number = () => performance.now()): StreamPace {
  let from = now()
  let events = 0
  let isFast = false
  function measure(): void {
    const ms = now() - from
    if (ms < MEASURED_MS) return
    isFast = events / ms > CATCHING_UP_PER_S / SECOND_MS
    from += ms
    events = 0
  }
  return {
    count(more) {
      measure()
      events += more
    },
    isCatchingUp() {
      measure()
      return isFast
    },
  }
}
