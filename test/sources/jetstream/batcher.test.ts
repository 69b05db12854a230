// When batches are handed over, by a clock that the test moves.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { StreamItem } from '../../../src/base/event.ts'
import { type Batcher, createBatcher } from '../../../src/sources/jetstream/batcher.ts'

let sizes: number[]
let isCatchingUp: boolean
let batcher: Batcher

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
  sizes = []
  isCatchingUp = false
  batcher = createBatcher({
    maxEvents: () => 2_000,
    maxBytes: 1_000_000,
    isCatchingUp: () => isCatchingUp,
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

test('a lone event is handed over at once', async () => {
  await vi.advanceTimersByTimeAsync(1_000)
  for (let i = 0; i < 20; i++) {
    await receive(1)
    expect(sizes).toHaveLength(i + 1)
    await vi.advanceTimersByTimeAsync(20)
  }
})

test('events that follow each other are gathered for 20 ms', async () => {
  await receiveEach(1, 1_000)
  await vi.advanceTimersByTimeAsync(20)
  expect(sizes.length).toBeGreaterThanOrEqual(40)
  expect(sizes.length).toBeLessThanOrEqual(52)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(22)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_000)
})

test('while catching up, events are gathered for longer, or until a batch is full', async () => {
  isCatchingUp = true
  await receiveEach(20, 500)
  expect(sizes.length).toBeLessThan(15)
  expect(Math.max(...sizes)).toBeGreaterThanOrEqual(1_000)
  await vi.advanceTimersByTimeAsync(100)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000)
  sizes.splice(0)
  await receiveEach(200, 100)
  expect(sizes.filter((size) => size === 2_000).length).toBeGreaterThanOrEqual(5)
})
