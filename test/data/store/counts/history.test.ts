// The history's rings against a naive model that keeps everything: means of the written values, the newest
// slots, and never more rows than slots.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  HISTORY_RINGS,
  type HistorySample,
  putHistory,
  readHistory,
} from '../../../../src/data/store/counts/history.ts'
import { openWriter, type WriteDb } from '../../../../src/data/store/db.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'

const STEP_MS = 10_000
const START = Date.parse('2026-11-01T00:00:00Z')

let dir: string
let db: WriteDb

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slipstream-history-'))
  db = openWriter(dir)
})
afterEach(() => {
  db.close()
  rmSync(dir, { recursive: true })
})

/** Mean of the next finer means, as the coarser rings are computed. */
function expected(samples: Map<number, number>, ring: number): Map<number, number> {
  if (ring === 0) return samples
  const finer = expected(samples, ring - 1)
  const stepMs = HISTORY_RINGS[ring]!.stepSeconds * 1000
  const groups = Map.groupBy(finer, ([at]) => Math.floor(at / stepMs) * stepMs)
  return new Map(
    [...groups].map(([at, all]) => [
      at,
      all.reduce((sum, [, value]) => sum + value, 0) / all.length,
    ]),
  )
}

describe('the history', () => {
  test('matches a model that keeps everything in every ring, across holes and restarts', () => {
    const random = createRandom(testSeed('history'))
    const samples = new Map<number, number>()
    let at = START
    const write = (count: number) => {
      for (let i = 0; i < count; i++) {
        at += STEP_MS * (random.chance(0.02) ? 1 + random.below(200) : 1)
        const value = random.next() * 1_000
        samples.set(at, value)
        putHistory(db, at + random.below(STEP_MS), { events_s: value })
      }
    }
    for (let part = 0; part < 3; part++) {
      db.transaction(write)(1_500)
      db.close()
      db = openWriter(dir)
    }
    for (const [i, ring] of HISTORY_RINGS.entries()) {
      const since = at - ring.slots * ring.stepSeconds * 1000
      const wanted = [...expected(samples, i)].filter(([when]) => when > since)
      const { at: times, series } = readHistory(db, ring, { now: at, series: ['events_s'] })
      // Means over values that a finer ring has since dropped were computed in time.
      expect(times).toEqual(wanted.map(([when]) => when))
      for (const [n, value] of series.events_s.entries()) {
        expect(value).toBeCloseTo(wanted[n]![1], 6)
      }
    }
  })

  test('never grows beyond its slots', () => {
    const slots = HISTORY_RINGS.reduce((sum, ring) => sum + ring.slots, 0)
    db.transaction(() => {
      for (let i = 0; i < 6_000; i++) putHistory(db, START + i * 600_000, { members: i })
      for (let i = 0; i < 1_000; i++) putHistory(db, START + i * 10_000, { members: i })
    })()
    const rows = db.prepare<[], number>('SELECT count(*) FROM history').pluck().get()
    expect(rows).toBeGreaterThan(4_320)
    expect(rows).toBeLessThanOrEqual(slots)
  })

  test('unknown values stay unknown and do not distort means', () => {
    const samples: HistorySample[] = [{ lag_ms: 10, members: 1 }, { members: 3 }, { lag_ms: 30 }]
    for (const [i, sample] of samples.entries()) putHistory(db, START + i * STEP_MS, sample)
    const [hour, day] = HISTORY_RINGS
    const requested = { now: START + 60_000, series: ['lag_ms', 'members', 'jobs'] as const }
    expect(readHistory(db, hour, requested).series.lag_ms).toEqual([10, null, 30])
    const { series } = readHistory(db, day, requested)
    expect([series.lag_ms, series.members, series.jobs]).toEqual([[20], [2], [null]])
  })

  test('reads only the requested series', () => {
    putHistory(db, START, { lag_ms: 10, members: 1, jobs: 7 })
    const now = START + STEP_MS
    const series = ['jobs', 'lag_ms'] as const
    expect(readHistory(db, HISTORY_RINGS[0], { now, series }).series).toEqual({
      jobs: [7],
      lag_ms: [10],
    })
  })

  test('a clock that was set back overwrites, and values from the future are still shown', () => {
    putHistory(db, START + 50_000, { members: 1 })
    putHistory(db, START, { members: 2 })
    putHistory(db, START + 50_000, { members: 3 })
    const { at, series } = readHistory(db, HISTORY_RINGS[0], {
      now: START,
      series: ['members'],
    })
    expect(at).toEqual([START, START + 50_000])
    expect(series.members).toEqual([2, 3])
  })
})
