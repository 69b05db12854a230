// The axes of the history charts: a young server's record fills them, and one slow answer does not flatten the rest.

import { expect, test } from 'vitest'
import { DURATION_STEPS, heightOf, spanOf } from '../../../src/features/pages/assets/chart-scale.ts'

const HOUR = { stepSeconds: 5, spanSeconds: 3_600, until: 7_200_000 }

/** Width of the chart in seconds, for a record that began so long ago. */
const width = (seconds: number | undefined) => {
  const at = seconds === undefined ? [] : [HOUR.until - seconds * 1000]
  const [from, to] = spanOf({ ...HOUR, at })
  expect(to).toBe(7_200)
  return to - from
}

test('a chart begins with the record, but shows five minutes at least, and a nearly whole one wholly', () => {
  expect([600, 1_800, 2_880].map(width)).toEqual([600, 1_800, 2_880])
  expect([undefined, 0, 20].map(width)).toEqual([300, 300, 300])
  expect([2_900, 3_600, 90_000].map(width)).toEqual([3_600, 3_600, 3_600])
})

test('a single value far above the others is cut off, in a long record and in a short one', () => {
  for (const count of [6, 20, 700]) {
    const usual = Array.from({ length: count }, (_, i) => 10 + (i % 3))
    expect(heightOf([...usual, 10_000])).toEqual({ top: 24, peak: 10_000 })
  }
  expect(heightOf([null, 10, 30, undefined, 1_000])).toEqual({ top: 1_100 })
  expect(heightOf([...Array(10).fill(10), 1_000, 1_000])).toEqual({ top: 1_100 })
  expect([heightOf([]), heightOf([null, 0])]).toEqual([{ top: 1 }, { top: 1 }])
})

test('steps of durations are whole seconds and minutes, and rise', () => {
  expect(DURATION_STEPS).toEqual(DURATION_STEPS.toSorted((a, b) => a - b))
  const long = DURATION_STEPS.filter((step) => step >= 60_000)
  expect(long.filter((step) => step % 60_000 !== 0)).toEqual([])
})
