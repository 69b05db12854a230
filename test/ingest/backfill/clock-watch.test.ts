import { expect, test } from 'vitest'
import { watchClock } from '../../../src/ingest/backfill/clock-watch.ts'

test('a clock that is set back is noticed once, by how much; one that goes on or is set ahead is not', () => {
  let [wall, elapsed] = [1_000_000, 0]
  const wentBack = watchClock(
    () => wall,
    () => elapsed,
  )
  const pass = (ms: number) => {
    wall += ms
    elapsed += ms
  }
  pass(500)
  expect(wentBack()).toBe(0)
  wall += 3_600_000
  expect(wentBack()).toBe(0)
  pass(250)
  wall -= 3_600_000
  expect(wentBack()).toBe(3_600_000)
  expect(wentBack()).toBe(0)
  wall -= 400
  expect(wentBack()).toBe(0)
})
