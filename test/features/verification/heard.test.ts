// By when an account's writes should have arrived: by our clock, unless the host catches up.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHeard } from '../../../src/features/verification/heard.ts'
import { createWorld, type World } from '../../support/world.ts'

let world: World

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  world = createWorld()
})
afterEach(() => {
  world.dispose()
  vi.useRealTimers()
})

function start() {
  const heard = createHeard({ actors: world.actors, isOurs: () => true })
  return {
    reachedMs: heard.reachedMs,
    /** A batch whose last event is so old. */
    batch(ageMs: number) {
      const cursor = { host: 'wss://jet.example.org', wire: 'v2' as const, seq: undefined }
      const timeUs = (Date.now() - ageMs) * 1000
      heard.note({ events: [], gaps: [], cursor: { ...cursor, timeUs }, receivedAtMs: Date.now() })
    },
  }
}

const later = (ms: number) => vi.setSystemTime(Date.now() + ms)

test('a stream in which nothing happens is not one that catches up', () => {
  const { batch, reachedMs } = start()
  batch(0)
  for (let i = 0; i < 10; i++) {
    later(10_000)
    expect(reachedMs()).toBe(Date.now())
  }
})

test('what a host that catches up has yet to bring is not held against it', () => {
  const { batch, reachedMs } = start()
  for (let age = 600_000; age > 60_000; age -= 60_000) {
    batch(age)
    expect(reachedMs()).toBe(Date.now() - age)
    later(10_000)
  }
})

test('a host that stays behind is judged by our clock', () => {
  const { batch, reachedMs } = start()
  for (let i = 0; i < 8; i++) {
    batch(40_000)
    later(10_000)
  }
  expect(reachedMs()).toBe(Date.now())
})
