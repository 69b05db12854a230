// Slots shared by lanes: one caller's backlog delays another by at most one turn, and no work is lost.

import { expect, test } from 'vitest'
import { createLimiter } from '../../../src/base/util/limiter.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const LIMITS = { maxRunning: 4, maxRunningEach: 3, maxWaiting: 20, full: () => new Error('full') }

/** Work that ends when told to; lists it in the order it began. */
function createWork() {
  const begun: { name: string; end: () => void }[] = []
  return {
    begun,
    of: (name: string) => () =>
      new Promise<void>((end) => {
        begun.push({ name, end })
      }),
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a flood in one lane leaves slots for others, and alternates with them', async () => {
  const limiter = createLimiter(LIMITS)
  const { begun, of } = createWork()
  const flood = Array.from({ length: 10 }, () => limiter.run(of('flood'), 'flood'))
  const others = ['a', 'b'].map((name) => limiter.run(of(name), name))
  await settled()
  expect(begun.map(({ name }) => name)).toEqual(['flood', 'flood', 'flood', 'a'])
  begun[0]!.end()
  await settled()
  begun[1]!.end()
  await settled()
  expect(
    begun
      .slice(4)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['b', 'flood'])
  for (let i = 0; i < begun.length; i++) {
    begun[i]!.end()
    await settled()
  }
  await Promise.all([...flood, ...others])
})

test('when the queue is full, the longest lane gives up a place', async () => {
  const limiter = createLimiter(LIMITS)
  const { begun, of } = createWork()
  const outcomes: string[] = []
  const all = Array.from({ length: 23 }, () => limiter.run(of('flood'), 'flood')).concat(
    limiter.run(of('a'), 'a'),
    limiter.run(of('b'), 'b'),
    limiter.run(of('flood'), 'flood'),
  )
  for (const item of all) {
    item.then(
      () => outcomes.push('done'),
      () => outcomes.push('refused'),
    )
  }
  for (let i = 0; i < 24; i++) {
    await settled()
    begun[i]!.end()
  }
  const results = await Promise.allSettled(all)
  expect(results.flatMap(({ status }, i) => (status === 'rejected' ? [i] : []))).toEqual([22, 25])
  expect(begun.slice(0, 6).map(({ name }) => name)).toContain('b')
})

test('begins few in one turn of the event loop, also of those that end at one moment', async () => {
  const limiter = createLimiter({ maxRunning: 10, maxBegunATurn: 4 })
  const { begun, of } = createWork()
  const all = Array.from({ length: 25 }, (_, i) => limiter.run(of('a'), `${i % 3}`))
  for (let i = 0; i < 10; i++) await Promise.resolve()
  const counts = [begun.length]
  for (; counts.length < 4; counts.push(begun.length)) await settled()
  expect(counts).toEqual([4, 8, 10, 10])
  for (const { end } of begun.splice(0)) end()
  for (let i = 0; i < 10; i++) await Promise.resolve()
  expect(begun.length).toBe(4)
  for (let ended = 10; ended < 25; await settled()) {
    ended += begun.length
    for (const { end } of begun.splice(0)) end()
  }
  await Promise.all(all)
})

test('at random: never exceeds the limit, and everything not refused gets done', async () => {
  const random = createRandom(testSeed('limiter'))
  const limiter = createLimiter(LIMITS)
  const running = new Map<string, number>()
  let most = 0
  let ended = 0
  const tasks = Array.from({ length: 500 }, async (_, i) => {
    const name = `lane ${random.below(6)}`
    for (let wait = random.below(30); wait > 0; wait--) await settled()
    return limiter.run(async () => {
      const count = (running.get(name) ?? 0) + 1
      running.set(name, count)
      most = Math.max(
        most,
        [...running.values()].reduce((a, b) => a + b),
      )
      expect(count).toBeLessThanOrEqual(3)
      for (let wait = i % 4; wait > 0; wait--) await settled()
      running.set(name, running.get(name)! - 1)
      ended++
    }, name)
  })
  const refused = (await Promise.allSettled(tasks)).filter(({ status }) => status === 'rejected')
  expect(most).toBe(4)
  expect(ended).toBe(500 - refused.length)
  let isFree = 0
  await Promise.all(
    Array.from({ length: 4 }, (_, i) => limiter.run(async () => void isFree++, `${i}`)),
  )
  expect(isFree).toBe(4)
})
