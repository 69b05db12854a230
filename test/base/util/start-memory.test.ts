// What a start leaves behind is collected once the thread has time, and only then.

import { afterEach, expect, test } from 'vitest'
import { releaseStartMemory } from '../../../src/base/util/start-memory.ts'

const CHECK_MS = 200

let work: NodeJS.Timeout | undefined
afterEach(() => clearInterval(work))

/** Keeps this thread busy for most of its time. */
function beBusy(): void {
  work = setInterval(() => {
    for (const endMs = performance.now() + 40; performance.now() < endMs; );
  }, 1)
}

test('a busy thread is left alone; an idle one collects what nothing refers to', async () => {
  const left = new WeakRef({ modules: 'loaded' })
  const isLeft = () => left.deref() !== undefined
  beBusy()
  releaseStartMemory(CHECK_MS)
  await new Promise((resolve) => setTimeout(resolve, 5 * CHECK_MS))
  expect(isLeft()).toBe(true)
  clearInterval(work)
  await expect.poll(isLeft).toBe(false)
})
