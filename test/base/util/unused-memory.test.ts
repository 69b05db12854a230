// What nothing refers to any more is collected once the thread has time, and only then.

import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { releaseUnusedMemory } from '../../../src/base/util/unused-memory.ts'

const CHECK_MS = 100

let work: NodeJS.Timeout | undefined
afterEach(() => clearInterval(work))

/** Keeps this thread busy for most of its time. */
function beBusy(): void {
  work = setInterval(() => {
    for (const endMs = performance.now() + 40; performance.now() < endMs; );
  }, 1)
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

test('a thread that nobody waits for collects again once its heap has grown', async () => {
  releaseUnusedMemory({ again: true, checkMs: CHECK_MS })
  const isFirstLeft = leave(1)
  await expect.poll(isFirstLeft).toBe(false)
  const isLittleLeft = leave(1)
  await sleep(5 * CHECK_MS)
  expect(isLittleLeft()).toBe(true)
  const isMuchLeft = leave(3_000_000)
  await expect.poll(isMuchLeft).toBe(false)
  expect(isLittleLeft()).toBe(false)
})
