// The load generator's histogram against exact quantiles of the same values in a sorted list.

import { expect, test } from 'vitest'
import { Histogram } from '../../bench/load/histogram.ts'
import { createRandom } from '../support/random.ts'
import { testSeed } from '../support/seed.ts'

const SHARES = [0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1]

function exactAt(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

test('every quantile lies within a 128th above the exact one, over six orders of magnitude', () => {
  const random = createRandom(testSeed('histogram'))
  for (let round = 0; round < 20; round++) {
    const histogram = new Histogram()
    const spread = 1 + random.below(20)
    const values = Array.from({ length: 1 + random.below(5_000) }, () =>
      Math.floor(2 ** (random.next() * spread)),
    )
    for (const value of values) histogram.record(value)
    const sorted = values.sort((a, b) => a - b)
    for (const share of SHARES) {
      const exact = exactAt(sorted, share)
      const found = histogram.at(share)
      expect(found).toBeGreaterThanOrEqual(exact)
      expect(found).toBeLessThanOrEqual(exact * (1 + 1 / 128))
    }
    expect(histogram.count).toBe(values.length)
    expect(histogram.quantiles().max).toBe(sorted.at(-1)! / 1000)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    expect(histogram.quantiles().mean).toBeCloseTo(mean / 1000, 9)
  }
})

test('values up to 255 are exact, and every power of two and its neighbours lies in its bucket', () => {
  for (let value = 0; value < 256; value++) {
    const histogram = new Histogram()
    histogram.record(value)
    expect(histogram.at(0.5)).toBe(value)
  }
  for (let power = 8; power < 31; power++) {
    for (const value of [2 ** power - 1, 2 ** power, 2 ** power + 1]) {
      const histogram = new Histogram()
      histogram.record(value)
      histogram.record(2 ** 31 - 1)
      expect(histogram.at(0.5)).toBeGreaterThanOrEqual(value)
      expect(histogram.at(0.5)).toBeLessThanOrEqual(value * (1 + 1 / 128))
    }
  }
})

test('values out of range count as the least or the largest, and an empty histogram has no quantiles', () => {
  const histogram = new Histogram()
  expect(histogram.quantiles()).toEqual({
    count: 0,
    mean: 0,
    p50: 0,
    p90: 0,
    p99: 0,
    p999: 0,
    max: 0,
  })
  histogram.record(-5)
  histogram.record(2 ** 40)
  expect(histogram.at(0.5)).toBe(0)
  expect(histogram.at(1)).toBe(2 ** 31 - 1)
})
