// When batches are handed over, by a clock that the test moves.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Batcher, createBatcher } from '../src/batcher.ts'
import type { StreamItem } from '../src/event.ts'

let sizes: number[]
let rests: number[]
let maxEvents: number
let batcher: Batcher

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
  sizes = []
  rests = []
  maxEvents = 2_000
  batcher = createBatcher({
    maxEvents: () => maxEvents,
    maxBytes: 1_000_000,
    now: () => 0,
    cursor: () => ({ host: 'test', wire: 'v2', seq: 1, timeUs: 1 }),
    apply: async ({ events }) => void sizes.push(events.length),
    onRest: (ms) => void rests.push(ms),
    onFull() {},
    onSpace() {},
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
    await vi.advanceTimersByTimeAsync(40)
  }
})

test('events that follow each other are gathered for 40 ms', async () => {
  await receiveEach(1, 1_000)
  await vi.advanceTimersByTimeAsync(40)
  expect(sizes.length).toBeGreaterThanOrEqual(20)
  expect(sizes.length).toBeLessThanOrEqual(27)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(42)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_000)
})

test('or until a batch is full', async () => {
  await receiveEach(200, 100)
  expect(sizes.filter((size) => size === 2_000).length).toBeGreaterThanOrEqual(5)
})

test('the socket rests for as long after a small batch, and not after a large or full one', async () => {
  await receive(1)
  expect(rests).toEqual([40])
  maxEvents = 64
  await receiveEach(64, 3)
  expect(sizes.splice(1)).toEqual([64, 64, 64])
  expect(rests).toEqual([40])
  maxEvents = 2_000
  for (let i = 0; i < 1_000; i++) batcher.add({} as StreamItem, 100)
  await vi.advanceTimersByTimeAsync(100)
  expect(sizes).toEqual([1, 1_000])
  expect(rests).toEqual([40])
})
