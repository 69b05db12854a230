import { expect, test } from 'vitest'
import { watchClock } from '../../../src/ingest/backfill/clock-watch.ts'

test('reports once, and by how much, that the clock was set back; never when it advances or is set ahead', () => {
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
