// Refusals of an address that has used up its time, against a plain list of the moments at which it was refused.

import { expect, test } from 'vitest'
import { createRefusalPace } from '../../../../src/http/server/listening/refusal-pace.ts'

const FIVE_MINUTES_MS = 300_000

test('an address that asks without end gets few refusals, another its first one at once', () => {
  let nowMs = 0
  const pace = createRefusalPace(() => nowMs)
  const refusedAt: number[] = []
  // 64 connections, each of which asks again as soon as it was refused.
  const connections = Array.from({ length: 64 }, () => 0)
  while (nowMs < FIVE_MINUTES_MS) {
    for (const [i, freeAt] of connections.entries()) {
      if (freeAt > nowMs) continue
      const waitMs = pace.next('greedy', Infinity)
      if (freeAt > 0) pace.leave('greedy')
      refusedAt.push(nowMs + waitMs)
      connections[i] = nowMs + Math.max(waitMs, 1)
    }
    nowMs += 10
  }
  const inTime = refusedAt.filter((at) => at <= FIVE_MINUTES_MS)
  expect(inTime.length).toBeGreaterThan(1_000)
  expect(inTime.length).toBeLessThan(1_600)
  expect(pace.next('other', Infinity)).toBe(0)
})

test('as many as a proxy may hold wait; further ones are refused at once', () => {
  const pace = createRefusalPace(() => 0)
  const waits = Array.from({ length: 40 }, () => pace.next('a', 8))
  expect(waits.filter((ms) => ms > 0)).toHaveLength(8)
  pace.leave('a')
  expect(pace.next('a', 8)).toBeGreaterThan(0)
  expect(pace.next('a', 8)).toBe(0)
})

test('nothing waits longer than the limits do', () => {
  const pace = createRefusalPace(() => 0)
  const waits = Array.from({ length: 3_000 }, () => pace.next('a', Infinity))
  expect(Math.max(...waits)).toBe(FIVE_MINUTES_MS)
})
