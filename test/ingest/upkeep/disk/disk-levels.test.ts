// What is given up when the disk runs short, in which order, and when it comes back.

import { expect, test } from 'vitest'
import { DAY_MS } from '../../../../src/base/util/durations.ts'
import {
  capOf,
  isSearchGivenUp,
  nextLevel,
  retentionDays,
  stateOfLevel,
  takesStrangers,
} from '../../../../src/ingest/upkeep/disk/levels.ts'

const forever = { strangersDays: 0, neighboursDays: 0 }

test('the cap is the setting or what leaves the reserve free, whichever is less', () => {
  const disk = { fileBytes: 30, freeBytes: 20 }
  expect(capOf({ capBytes: 0, reserveBytes: 5 }, disk)).toBe(45)
  expect(capOf({ capBytes: 40, reserveBytes: 5 }, disk)).toBe(40)
  expect(capOf({ capBytes: 40, reserveBytes: 15 }, disk)).toBe(35)
  expect(capOf({ capBytes: 0, reserveBytes: 100 }, disk)).toBe(0)
})

test('each level waits for the previous one’s work, and none goes beyond the last', () => {
  let level = 0
  const reported = []
  for (let i = 0; i < 12; i++) {
    level = nextLevel(level, { usedBytes: 95, capBytes: 100, isWorkDone: i % 2 === 1 })
    reported.push(stateOfLevel(level))
  }
  expect([...new Set(reported)]).toEqual([
    'ok',
    'without-search',
    'strangers-pruned',
    'neighbours-pruned',
    'strangers-refused',
  ])
  expect(reported[0]).toBe('ok')
  expect(nextLevel(3, { usedBytes: 80, capBytes: 100, isWorkDone: true })).toBe(3)
  expect(nextLevel(3, { usedBytes: 60, capBytes: 100, isWorkDone: true })).toBe(0)
})

test('gives up search, then strangers’ old posts, then neighbours’, then new strangers', () => {
  const levels = [0, 1, 2, 3, 4]
  expect(levels.map(isSearchGivenUp)).toEqual([false, true, true, true, true])
  expect(levels.map(takesStrangers)).toEqual([true, true, true, true, false])
  const retention = levels.map((level) => retentionDays(level, forever))
  expect(retention.map(({ strangersMs }) => strangersMs / DAY_MS)).toEqual([
    Infinity,
    Infinity,
    7,
    3,
    1,
  ])
  expect(retention.map(({ neighboursMs }) => neighboursMs / DAY_MS)).toEqual([
    ...[Infinity, Infinity, Infinity, 30, 7],
  ])
  // A setting is never widened.
  expect(retentionDays(2, { strangersDays: 5, neighboursDays: 0 }).strangersMs).toBe(5 * DAY_MS)
})
