// Catching up yields to readers: while requests keep a serving thread busy, batches are short, and this thread
// rests after each, up to twice as long as it worked. Many short batches renew each page more often, so a
// saturated thread gets long ones. When a thread has just become saturated, its pages are full of authors whose
// views and relations are not cached yet, and cost several times the usual: in such a surge, catching up nearly
// stops for some seconds. Measured in docs/notes/2026-11-27-a-surge-gives-readers-more-time.md.

import { setTimeout } from 'node:timers/promises'
import { threadMs } from '../../base/util/thread-time.ts'

/** Share of time that a serving thread spends on requests, at which rests begin and reach their maximum. */
const BUSY_FROM = 0.1
const BUSY_TO = 0.25
/** From here on the thread is saturated: it has no time for the views of every short batch. */
const TOO_BUSY = 0.85
/** As a multiple of the time worked. */
const MOST_REST = 2
/** The rest added in a surge: from this utilisation on, and at full utilisation. */
const SURGE_FROM = 0.6
const SURGE_REST = 18
/** The most rest that surges may add, and the share of the time by which it grows back. */
const SURGE_MS = 8_000
const SURGE_REGAINED = 0.05
const SHORT_BATCH = 64
const SURGE_BATCH = 256
/** Timers are no finer; shorter rests are carried over. */
const MIN_REST_MS = 2
const MAX_REST_MS = 200

type GiveWay = {
  /** The most events of a batch; undefined: no other limit than the usual one. */
  mostEvents(): number | undefined
  /** Called between two batches. */
  rest(): Promise<void>
}

export function createGiveWay(parts: {
  /** Utilisation of the serving thread with the most requests, 0 to 1. */
  requestShare: () => number
  onRested: (ms: number) => void
  /** Processor time of this thread. */
  workedMs?: () => number
  /** Milliseconds from any start. */
  now?: () => number
  sleep?: (ms: number) => Promise<unknown>
}): GiveWay {
  const { requestShare, onRested, workedMs = threadMs, sleep = setTimeout } = parts
  const surge = createSurge(parts.now ?? (() => performance.now()))
  let from = workedMs()
  return {
    mostEvents() {
      const share = requestShare()
      if (share < BUSY_FROM) return undefined
      if (share < TOO_BUSY) return SHORT_BATCH
      return surge.isOn() ? SURGE_BATCH : undefined
    },
    async rest() {
      const share = requestShare()
      const worked = workedMs()
      const usual = between(BUSY_FROM, BUSY_TO, share) * MOST_REST * (worked - from)
      const pending = usual + surge.restMs(share, worked - from)
      if (pending > 0 && pending < MIN_REST_MS) return
      from = worked
      if (pending === 0) return
      const restMs = Math.min(pending, MAX_REST_MS)
      surge.spend(Math.max(0, restMs - usual))
      await sleep(restMs)
      onRested(restMs)
    },
  }
}

/** Begins when a thread becomes saturated, unless the last one is recent; ends when all is spent. */
function createSurge(now: () => number) {
  let leftMs = SURGE_MS
  let isOn = false
  let at = now()
  return {
    isOn: () => isOn,
    /** The additional rest for this time worked. */
    restMs(share: number, workedMs: number): number {
      const from = at
      at = now()
      const isSpending = isOn && share > SURGE_FROM
      if (!isSpending) leftMs = Math.min(SURGE_MS, leftMs + (at - from) * SURGE_REGAINED)
      if (leftMs <= 0) isOn = false
      else if (share >= TOO_BUSY && leftMs >= SURGE_MS / 2) isOn = true
      if (!isOn) return 0
      return Math.min(leftMs, between(SURGE_FROM, 1, share) * SURGE_REST * workedMs)
    },
    spend(ms: number): void {
      leftMs -= ms
    },
  }
}

/** 0 at `low` and below, 1 at `high` and above. */
function between(low: number, high: number, value: number): number {
  return Math.min(1, Math.max(0, (value - low) / (high - low)))
}
