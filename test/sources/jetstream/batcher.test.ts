// When batches are handed over, by a clock that the test moves.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { StreamItem } from '../../../src/base/event.ts'
import { type Batcher, createBatcher } from '../../../src/sources/jetstream/batcher.ts'

let sizes: number[]
let batcher: Batcher

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
  sizes = []
  batcher = createBatcher({
    maxEvents: () => 2_000,
    maxBytes: 1_000_000,
    now: () => 0,
    cursor: () => ({ host: 'test', wire: 'v2', seq: 1, timeUs: 1 }),
    apply: async ({ events }) => void sizes.push(events.length),
    onFull() {},
    onRoom() {},
  })
})

afterEach(() => vi.useRealTimers())

/** Receives as many events in this millisecond as the socket brought. */
async function receive(count: number): Promise<void> {
  for (let i = 0; i < count; i++) batcher.add({} as StreamItem, 1)
  await vi.advanceTimersByTimeAsync(1)
}

async function receiveEach(count: number, ms: number): Promise<void> {
  for (let i = 0; i < ms; i++) await receive(count)
}

test('a live event is handed over at once', async () => {
  await vi.advanceTimersByTimeAsync(1_000)
  for (let i = 0; i < 20; i++) {
    await receive(1)
    expect(sizes).toHaveLength(i + 1)
  }
  await receiveEach(4, 100)
  expect(sizes).toHaveLength(120)
})

test('while catching up, events are gathered for some time, or until a batch is full', async () => {
  await vi.advanceTimersByTimeAsync(1_000)
  await receiveEach(20, 500)
  expect(sizes.length).toBeLessThan(15)
  expect(Math.max(...sizes)).toBeGreaterThanOrEqual(1_000)
  await vi.advanceTimersByTimeAsync(100)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000)
  sizes.splice(0)
  await receiveEach(200, 100)
  expect(sizes.filter((size) => size === 2_000).length).toBeGreaterThanOrEqual(5)
})

test('after catching up, live events no longer wait', async () => {
  await vi.advanceTimersByTimeAsync(1_000)
  await receiveEach(20, 500)
  await vi.advanceTimersByTimeAsync(200)
  await receive(1)
  sizes.splice(0)
  for (let i = 0; i < 20; i++) {
    await receive(1)
    expect(sizes).toHaveLength(i + 1)
  }
})
