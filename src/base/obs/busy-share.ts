// Measures a few times a second how much of its time a serving thread is busy, and how much of that with requests:
// at a share near one, new ones have to wait. A thread that is ready to run but has no processor counts as busy,
// which makes the shares a measure of load.

import { watchUtilization } from '../util/utilization.ts'

const EVERY_MS = 50

type Shares = {
  busy: number
  /** At most `busy`: a thread also starts, drops caches and sends events, which keeps no reader waiting. */
  requests: number
}

/** @param tell - called with the shares of the last interval, 0 to 1 */
export function watchBusyShare(tell: (shares: Shares) => void): {
  /** To be called for each request answered. */
  answered(seconds: number): void
  stop(): void
} {
  const utilization = watchUtilization()
  let from = performance.now()
  let answeredMs = 0
  const timer = setInterval(() => {
    const busy = utilization()
    const at = performance.now()
    tell({ busy, requests: Math.min(busy, answeredMs / (at - from)) })
    from = at
    answeredMs = 0
  }, EVERY_MS)
  timer.unref()
  return {
    answered(seconds) {
      answeredMs += seconds * 1_000
    },
    stop: () => clearInterval(timer),
  }
}
