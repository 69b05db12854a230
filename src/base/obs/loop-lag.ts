// Measures how late a thread's timers are: the wait before a request is handled.

import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 20
const NANOSECONDS = 1e9

type LoopLag = {
  /** The 99th percentile since the last call, in seconds. */
  take(): number
  stop(): void
}

export function watchLoopLag(): LoopLag {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return {
    take() {
      // Every measurement includes the timer's own period.
      const seconds = Math.max(0, delays.percentile(99) / NANOSECONDS - RESOLUTION_MS / 1000)
      delays.reset()
      return Number.isFinite(seconds) ? seconds : 0
    },
    stop: () => delays.disable(),
  }
}
