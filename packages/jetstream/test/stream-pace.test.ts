// By a clock that the test moves.

import { expect, it } from 'vitest'
import { createStreamPace } from '../src/stream-pace.ts'

it('tells catching up from the fastest live stream', () => {
  let nowMs = 0
  const pace = createStreamPace(() => nowMs)
  const run = (perSecond: number, ms: number) => {
    for (const endMs = nowMs + ms; nowMs < endMs; nowMs += 10) pace.count(perSecond / 100)
    return pace.isCatchingUp()
  }
  expect(run(600, 2_000)).toBe(false)
  expect(run(2_000, 2_000)).toBe(false)
  expect(run(10_000, 1_000)).toBe(true)
  expect(run(600, 1_000)).toBe(false)
  expect(run(10_000, 1_000)).toBe(true)
  nowMs += 1_000
  expect(pace.isCatchingUp()).toBe(false)
})
