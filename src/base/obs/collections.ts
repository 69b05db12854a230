// This thread's garbage collection pauses: their sum, and how much of them fell into an interval. Node
// reports a pause with a short delay, so the most recent pauses are not known yet.

import { PerformanceObserver } from 'node:perf_hooks'

type Pause = { from: number; to: number }

/** A few seconds' worth at full load. */
const MAX_PAUSES = 512

export type Collections = {
  /** Milliseconds of pauses between two values of `performance.now()`. */
  between(from: number, to: number): number
  /** Seconds in total. */
  total(): number
  stop(): void
}

export function watchCollections(): Collections {
  const pauses: Pause[] = []
  let next = 0
  let totalMs = 0
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      totalMs += duration
      pauses[next++ % MAX_PAUSES] = { from: startTime, to: startTime + duration }
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    between: (from, to) => pauses.reduce((sum, pause) => sum + overlap(pause, { from, to }), 0),
    total: () => totalMs / 1000,
    stop: () => observer.disconnect(),
  }
}

function overlap(a: Pause, b: Pause): number {
  return Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from))
}
