// Waiting for a cold start, with a fake clock that advances a second per look.

import { expect, test } from 'vitest'
import { createNewcomerWaits } from '../../../../src/http/xrpc/waiting/newcomer-waits.ts'

function start() {
  let at = 0
  const now = () => {
    at += 1_000
    return at
  }
  const waits = createNewcomerWaits({ now })
  /** @returns the number of looks: one if there was no wait */
  async function wait(
    did: string,
    state: string,
    { isThere = (_looks: number): boolean => false, aborted = false } = {},
  ) {
    let looks = 0
    const look = () => isThere(++looks)
    const signal = aborted ? AbortSignal.abort() : new AbortController().signal
    await waits.until(look, { did, state: () => state, maxWaitMs: 8_000, signal })
    return looks
  }
  return { wait, waits }
}

test('waits until the condition holds', async () => {
  const { wait } = start()
  expect(await wait('alice', 'page', { isThere: () => true })).toBe(1)
  expect(await wait('alice', 'page', { isThere: (looks) => looks === 3 })).toBe(3)
  expect(await wait('alice', 'page')).toBeGreaterThan(3)
})

test('after a timeout, waits only briefly for the same state, until it advances', async () => {
  const { wait } = start()
  for (const what of ['posts nothing', 'notifications']) {
    expect(await wait('alice', what)).toBeGreaterThan(3)
    expect(await wait('alice', what)).toBeLessThanOrEqual(2)
    expect(await wait('bob', what)).toBeGreaterThan(3)
  }
  expect(await wait('alice', 'posts newest')).toBeGreaterThan(3)
})

test('an aborted request does not count as a timeout', async () => {
  const { wait } = start()
  await wait('alice', 'page', { aborted: true })
  expect(await wait('alice', 'page')).toBeGreaterThan(3)
})

test('a few requests per account wait, the others are answered at once', async () => {
  const { waits } = start()
  const request = { did: 'alice', state: () => 'page', maxWaitMs: 8_000 }
  const { signal } = new AbortController()
  let isThere = false
  const waiting = Array.from({ length: 4 }, () =>
    waits.until(() => isThere, { ...request, signal }),
  )
  expect(waiting.every((item) => item instanceof Promise)).toBe(true)
  expect(waits.until(() => isThere, { ...request, signal })).toBeUndefined()
  isThere = true
  await Promise.all(waiting)
  isThere = false
  expect(waits.until(() => isThere, { ...request, signal })).toBeInstanceOf(Promise)
})

test.each([
  { waiting: 1, isCalled: true },
  { waiting: 9, isCalled: false },
])('with $waiting waiting, dear work meanwhile is done: $isCalled', async (scene) => {
  const { waits } = start()
  const { signal } = new AbortController()
  let calls = 0
  const meanwhile = () => void calls++
  const ask = (did: string) =>
    waits.until(() => false, { did, state: () => 'page', maxWaitMs: 20_000, signal, meanwhile })
  const last = Array.from({ length: scene.waiting }, (_, i) => ask(`newcomer ${i}`)).at(-1)
  await last
  expect(calls > 0).toBe(scene.isCalled)
})
