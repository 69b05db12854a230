// Waiting for records that were requested in the background, with a fake clock.

import { expect, test } from 'vitest'
import { CallTime } from '../../../../src/base/util/turn.ts'
import { countFrom } from '../../../../src/http/server/wait-left.ts'
import { createWaits } from '../../../../src/http/xrpc/waiting/waits.ts'

/** Each look at the clock is ten milliseconds later. */
function start(options: { maxInVain?: number } = {}) {
  let at = 0
  const now = () => {
    at += 10
    return at
  }
  const waits = createWaits({ now, ...options })
  /** @returns the number of looks, one of them at the end; 0 if there was no wait */
  async function wait(
    thing: string,
    isThere: (looks: number) => boolean = () => false,
    { isOver = (): boolean => false, signal = new AbortController().signal } = {},
  ) {
    let looks = 0
    const look = () => {
      looks++
      return isThere(looks)
    }
    await waits.awaited([thing], { isThere: look, isOver, signal, maxWaitMs: 60 })
    return looks
  }
  return { wait, later: (ms: number) => (at += ms) }
}

test('waits for a thing until it is there, and only once in ten minutes', async () => {
  const { wait, later } = start()
  expect(await wait('a', (looks) => looks >= 3)).toBeGreaterThanOrEqual(3)
  expect(await wait('a')).toBe(0)
  later(11 * 60_000)
  expect(await wait('a')).toBeGreaterThan(1)
})

test('after a few waits in vain, stops waiting, and tries again later', async () => {
  const { wait, later } = start({ maxInVain: 2 })
  expect(await wait('a')).toBeGreaterThan(1)
  expect(await wait('b')).toBeGreaterThan(1)
  expect(await wait('c')).toBe(0)
  later(31_000)
  // The skipped wait does not count as one.
  expect(await wait('c')).toBeGreaterThan(1)
  expect(await wait('d')).toBe(0)
  later(31_000)
  expect(await wait('e', () => true)).toBeGreaterThan(0)
  expect(await wait('f')).toBeGreaterThan(1)
})

test('waits for each of several things', async () => {
  const { wait } = start()
  for (const thing of ['a', 'b', 'c', 'd', 'e']) expect(await wait(thing)).toBeGreaterThan(1)
})

test('does not wait for a thing no longer requested, which counts as an answer', async () => {
  const { wait } = start({ maxInVain: 1 })
  let looks = 0
  const isOver = () => ++looks >= 2
  const never = () => false
  expect(await wait('a', never, { isOver })).toBe(3)
  expect(await wait('b', never, { isOver: () => true })).toBe(2)
})

test('a request that waited for one thing does not wait as long again for the next', async () => {
  const { wait } = start()
  const { signal } = new AbortController()
  expect(await wait('a', () => false, { signal })).toBeGreaterThan(1)
  expect(await wait('b', () => false, { signal })).toBe(2)
  expect(await wait('c')).toBeGreaterThan(1)
})

test('each look is made when its caller has a turn, also in a second wait', async () => {
  const { wait, later } = start()
  let turns = 0
  const goOn = <T>(work: () => T) => {
    turns++
    return work()
  }
  const call = new CallTime({ turnMs: 10, goOn })
  let looks = 0
  const { signal } = new AbortController()
  countFrom(signal, { arrivedAt: 0, time: call })
  await call.run(() => wait('a', () => ++looks > 3, { signal }))
  expect([looks, turns]).toEqual([5, 4])
  later(60_000)
  await wait('b', () => ++looks > 6, { signal })
  expect([looks, turns]).toEqual([7, 6])
})
