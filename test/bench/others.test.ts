// Results from a busy machine or a late generator are reported and discarded.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onTime } from '../../bench/load/on-time.ts'
import { readFigures, saveFigures } from '../../bench/saved-figures.ts'
import { summaryLines, tableLine } from '../../bench/table.ts'
import type { Measured } from '../../bench/world/measure-load.ts'

const late = (p99: number) => ({ lateness: { p99 }, latency: { p50: p99 } }) as Measured

/** Measurements that return these values in order, and the number made. */
function runs(...p99: number[]) {
  let made = 0
  return { measure: async () => late(p99[made++]!), made: () => made }
}

test('a run with a late generator is repeated', async () => {
  const some = runs(4, 0.3, 0.1)
  expect(await onTime(some.measure)).toMatchObject({ latency: { p50: 0.3 }, doubt: undefined })
  expect(some.made()).toBe(2)
})

test('if every run is late, the best is reported as doubtful', async () => {
  const some = runs(4, 2, 9)
  expect(await onTime(some.measure)).toMatchObject({
    latency: { p50: 2 },
    doubt: 'the load generator was late by 2.0 ms (p99)',
  })
  expect(some.made()).toBe(3)
})

test('a doubtful figure is neither saved nor judged, and says why', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'slipstream-figures-')), 'figures.json')
  const figure = { name: 'getTimeline.p99_ms', value: 48, unit: 'ms' }
  saveFigures(path, [{ ...figure, value: 1 }], { full: false })
  const doubted = { ...figure, doubt: 'the machine was busy with something else (40 %)' }
  saveFigures(path, [doubted], { full: false })
  expect(readFigures(path)['getTimeline.p99_ms']!.value).toBe(1)
  expect(summaryLines([doubted])).toEqual([])
  expect(tableLine(doubted)).toMatch(/48 ms +thrown away: the machine was busy/)
})
