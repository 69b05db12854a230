// What nothing refers to any more is collected once the thread has time, and only then.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { NEARLY_IDLE, releaseUnusedMemory } from '../../../src/base/util/unused-memory.ts'

const CHECK_MS = 100

let work: NodeJS.Timeout | undefined

/** All that were started, so that none outlives its test. */
let intervals: MockInstance<typeof setInterval>
beforeEach(() => {
  intervals = vi.spyOn(globalThis, 'setInterval')
})
afterEach(() => {
  for (const { value } of intervals.mock.results) clearInterval(value)
  intervals.mockRestore()
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
  const isFirstLeft = leave(1)
  await expect.poll(isFirstLeft).toBe(false)
  const isLittleLeft = leave(1)
  await sleep(5 * CHECK_MS)
  expect(isLittleLeft()).toBe(true)
  const isMuchLeft = leave(3_000_000)
  await expect.poll(isMuchLeft).toBe(false)
  expect(isLittleLeft()).toBe(false)
})

test('a thread that answers requests collects again only when nearly idle', async () => {
  beBusy(200)
  releaseUnusedMemory({ hasTime: NEARLY_IDLE, checkMs: 2 * CHECK_MS })
  const isFirstLeft = leave(1)
  await expect.poll(isFirstLeft, { timeout: 20 * CHECK_MS }).toBe(false)
  const isMuchLeft = leave(3_000_000)
  await sleep(15 * 2 * CHECK_MS)
  expect(isMuchLeft()).toBe(true)
  clearInterval(work)
  await expect.poll(isMuchLeft, { timeout: 20 * 2 * CHECK_MS }).toBe(false)
})
