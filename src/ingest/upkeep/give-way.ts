// Catching up gives way to readers: where a serving thread is busy, the ingest thread rests after a batch, for
// up to twice as long as it worked. What readers wait for is a processor, the caches of it and the views that every
// batch makes them forget, so a low priority alone does not help them; and at a third of its pace the stream is
// caught up all the same. Where nobody reads it never rests.

import { setTimeout } from 'node:timers/promises'

/** Rests begin where the busiest serving thread works for so much of its time, and are whole from so much on. */
const BUSY_FROM = 0.1
const BUSY_TO = 0.5
/** Of the time worked. */
const MOST_REST = 2
/** Timers are no finer; what is less is owed. */
const MIN_REST_MS = 2
const MAX_REST_MS = 200

type GiveWay = {
  /** Between two batches. */
  rest(): Promise<void>
}

export function createGiveWay(parts: {
  /** The greatest share of its time that a serving thread is at work, 0 to 1. */
  busiest: () => number
  onRested: (ms: number) => void
  /** Processor time of this thread. */
  workedMs?: () => number
  sleep?: (ms: number) => Promise<unknown>
}): GiveWay {
  const { busiest, onRested, workedMs = threadMs, sleep = setTimeout } = parts
  let from = workedMs()
  return {
    async rest() {
      const share = (busiest() - BUSY_FROM) / (BUSY_TO - BUSY_FROM)
      const worked = workedMs()
      const owed = Math.min(Math.max(share, 0), 1) * MOST_REST * (worked - from)
      if (owed > 0 && owed < MIN_REST_MS) return
      from = worked
      if (owed === 0) return
      const restMs = Math.min(owed, MAX_REST_MS)
      await sleep(restMs)
      onRested(restMs)
    },
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
