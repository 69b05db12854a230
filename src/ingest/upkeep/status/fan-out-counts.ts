// Counts what fan-out did and what the limit on huge timelines saved: once for each post, never for each
// write, so that a post to two million timelines costs the same as one to three.

import { createHistogram } from '../../../base/obs/histogram.ts'
import { createLastHour } from '../../../base/obs/last-hour.ts'
import type { FanOutStatus } from '../../../bridge/messages.ts'
import type { FanOut } from '../../indexing/memory/fan-out.ts'

/** Seconds: a few timelines take microseconds, millions a fifth of a second. */
const SECONDS = [0.00001, 0.000025, 0.0001, 0.00025, 0.001, 0.0025, 0.01, 0.025, 0.1, 0.25, 1]
/** Open timelines that a post is offered to. */
const SIZES = [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000]

export type FanOutCounts = {
  /** Times `work`; a post that reaches no timeline is not counted. */
  count(work: () => FanOut): FanOut
  read(): FanOutStatus
}

/** @param options.isLossy - whether there is a limit; without one its savings are not reported. */
export function createFanOutCounts(options: { isLossy: boolean; now: () => number }): FanOutCounts {
  const { isLossy, now } = options
  const [seconds, sizes] = [createHistogram(SECONDS), createHistogram(SIZES)]
  const lastHour = { written: createLastHour(now), leftOut: createLastHour(now) }
  const total = { written: 0, leftOut: 0 }
  let largest = 0

  function note({ written, leftOut }: FanOut, tookMs: number): void {
    total.written += written
    total.leftOut += leftOut
    lastHour.written.add(written)
    lastHour.leftOut.add(leftOut)
    largest = Math.max(largest, written + leftOut)
    sizes.observe(written + leftOut)
    seconds.observe(tookMs / 1000)
  }

  return {
    count(work) {
      const startedAt = performance.now()
      const done = work()
      if (done.written + done.leftOut > 0) note(done, performance.now() - startedAt)
      return done
    },
    read: () => ({
      isLossy,
      total: { ...total },
      lastHour: { written: lastHour.written.sum(), leftOut: lastHour.leftOut.sum() },
      largest,
      seconds: seconds.read(),
      sizes: sizes.read(),
    }),
  }
}
