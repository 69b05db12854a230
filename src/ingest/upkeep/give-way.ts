// Catching up yields to readers: while a serving thread is busy, batches are short, and the ingest thread
// rests after each, up to twice as long as it worked. Readers wait for a processor, its caches and the views
// that every batch invalidates. A long batch renews all pages at once; but many short ones renew each page
// more often, so a saturated thread gets long ones. Without readers it never rests.

import { setTimeout } from 'node:timers/promises'

/** Utilisation of the busiest serving thread at which rests begin and reach their maximum. */
const BUSY_FROM = 0.1
const BUSY_TO = 0.25
/** From here on the thread has no time for the views of every short batch. */
const TOO_BUSY = 0.85
/** As a multiple of the time worked. */
const MOST_REST = 2
/** Timers are no finer; shorter rests are carried over. */
const MIN_REST_MS = 2
const MAX_REST_MS = 200

type GiveWay = {
  wantsShortBatches(): boolean
  /** Called between two batches. */
  rest(): Promise<void>
}

export function createGiveWay(parts: {
  /** Utilisation of the busiest serving thread, 0 to 1. */
  busiest: () => number
  onRested: (ms: number) => void
  /** Processor time of this thread. */
  workedMs?: () => number
  sleep?: (ms: number) => Promise<unknown>
}): GiveWay {
  const { busiest, onRested, workedMs = threadMs, sleep = setTimeout } = parts
  let from = workedMs()
  return {
    wantsShortBatches() {
      const share = busiest()
      return share >= BUSY_FROM && share < TOO_BUSY
    },
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
