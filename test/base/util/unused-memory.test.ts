// What nothing refers to any more is collected once the thread has time, and only then.

import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { NEARLY_IDLE, releaseUnusedMemory } from '../../../src/base/util/unused-memory.ts'

vi.mock('node:vm', async (original) => {
  const vm = await original<typeof import('node:vm')>()
  return { ...vm, runInNewContext: vi.fn(vm.runInNewContext) }
})

vi.mock('node:v8', async (original) => {
  const v8 = await original<typeof import('node:v8')>()
  return { ...v8, getHeapStatistics: vi.fn(v8.getHeapStatistics) }
})

const CHECK_MS = 100
const MB = 2 ** 20
/** How often the heap was collected since the test began, apart from V8's own collections. */
const collections = () =>
  vi.mocked(runInNewContext).mock.calls.filter(([code]) => code.includes('last-resort')).length

let work: NodeJS.Timeout | undefined

/** All that were started, so that none outlives its test. */
let intervals: MockInstance<typeof setInterval>
beforeEach(() => {
  intervals = vi.spyOn(globalThis, 'setInterval')
  vi.mocked(runInNewContext).mockClear()
})
afterEach(() => {
  for (const { value } of intervals.mock.results) clearInterval(value)
  intervals.mockRestore()
  vi.mocked(getHeapStatistics).mockReset()
})

/** Keeps this thread busy for most of its time, or for a fifth. */
function beBusy(everyMs = 1): void {
  work = setInterval(() => {
    for (const endMs = performance.now() + 40; performance.now() < endMs; );
  }, everyMs)
}

/** Tells whether an object of so many parts, to which nothing refers, is still in memory. */
function leave(parts: number): () => boolean {
  const left = new WeakRef(Array.from({ length: parts }, (_, i) => ({ i })))
  return () => left.deref() !== undefined
}

/** Makes the heap appear to have this size. */
function pretend(bytes: number): void {
  const statistics = { ...getHeapStatistics(), total_heap_size: bytes }
  vi.mocked(getHeapStatistics).mockReturnValue(statistics)
}

test('a busy thread is left alone; an idle one collects what its start left', async () => {
  const isLeft = leave(1)
  beBusy()
  releaseUnusedMemory({ checkMs: CHECK_MS })
  await sleep(5 * CHECK_MS)
  expect(isLeft()).toBe(true)
  clearInterval(work)
  await expect.poll(isLeft).toBe(false)
})

test('a thread collects again once its heap has grown', async () => {
  releaseUnusedMemory({ checkMs: CHECK_MS })
  await expect.poll(collections).toBe(1)
  await sleep(15 * CHECK_MS)
  expect(collections()).toBe(1)
  leave(3_000_000)
  await expect.poll(collections, { timeout: 50 * CHECK_MS }).toBe(2)
})

test('it does so as well if the heap has shrunk again by itself meanwhile', async () => {
  pretend(20 * MB)
  releaseUnusedMemory({ checkMs: CHECK_MS })
  await expect.poll(collections).toBe(1)
  pretend(100 * MB)
  await sleep(3 * CHECK_MS)
  pretend(20 * MB)
  await expect.poll(collections, { timeout: 50 * CHECK_MS }).toBe(2)
  await sleep(15 * CHECK_MS)
  expect(collections()).toBe(2)
})

test('a thread that answers requests collects again only when nearly idle', async () => {
  beBusy(200)
  releaseUnusedMemory({ hasTime: NEARLY_IDLE, checkMs: 2 * CHECK_MS })
  await expect.poll(collections, { timeout: 50 * CHECK_MS }).toBe(1)
  leave(3_000_000)
  await sleep(15 * 2 * CHECK_MS)
  expect(collections()).toBe(1)
  clearInterval(work)
  await expect.poll(collections, { timeout: 50 * CHECK_MS }).toBe(2)
})
