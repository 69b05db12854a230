// The status page's line of the last 24 hours, from the same samples that the server writes.

import { afterEach, expect, test } from 'vitest'
import { putHistory } from '../../../src/data/store/counts/history.ts'
import { lagSection, readLagOfDay } from '../../../src/features/pages/lag-section.ts'
import { createWorld, type World } from '../../support/world.ts'

const MINUTE = 60_000
const NOW = Date.UTC(2026, 10, 29, 12)

let world: World
afterEach(() => world.dispose())

/** What visitors see of these lags, one a minute up to now; undefined: no sample. */
function format(lags: readonly (number | undefined)[]): string | undefined {
  world = createWorld()
  const first = NOW - lags.length * MINUTE
  for (const [i, lag_ms] of lags.entries()) {
    if (lag_ms !== undefined) putHistory(world.db, first + i * MINUTE, { lag_ms })
  }
  return lagSection(readLagOfDay(world.db, NOW))?.text
}

const curves = (text: string) => [...text.matchAll(/class="curve" d="([^"]*)"/g)].map(([, d]) => d!)
const points = (curve: string) =>
  curve
    .slice(1)
    .split('L')
    .map((point) => point.split(' ').map(Number) as [number, number])

test('a day with one bad quarter of an hour', () => {
  const lags = Array.from({ length: 1_400 }, (_, i) => (i >= 700 && i < 715 ? 600_000 : 400))
  const text = format(lags)!
  expect(text).toContain('Usually 400 ms behind the network, at most 10 min.')
  const [curve] = curves(text)
  const positions = points(curve!)
  expect(positions).toHaveLength(1_400)
  expect(positions.map(([x]) => x)).toEqual(positions.map(([x]) => x).toSorted((a, b) => a - b))
  const heights = new Set(positions.map(([, y]) => y))
  expect(heights.size).toBe(2)
  const [low, high] = [Math.max(...heights), Math.min(...heights)]
  expect(positions.filter(([, y]) => y === high)).toHaveLength(15)
  expect([low < 100, high > 0]).toEqual([true, true])
})

test('breaks where the server was down, and leaves a young server’s line out', () => {
  const lags = Array.from({ length: 300 }, (_, i) => (i > 100 && i < 160 ? undefined : 900))
  expect(curves(format(lags)!)).toHaveLength(2)
  world.dispose()
  expect(format(Array(9).fill(500))).toBeUndefined()
})
