// Slots under random claims: no limit is ever exceeded, nothing waits that could run, everything ends, and
// lanes take turns.

import { expect, test } from 'vitest'
import { type Claim, createFairSlots } from '../../../src/features/media/blobs/fair-slots.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const full = () => new Error('full')
const claim = (lane: string, limits: Claim['limits'] = [['all', 1]]): Claim => ({
  lane,
  limits,
  group: 'one',
})
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('random claims keep all limits, and nothing waits that could run', async () => {
  const random = createRandom(testSeed('fair slots'))
  const slots = createFairSlots({ waiting: 10_000, full })
  const mosts = new Map([
    ['all', 6],
    ...['a', 'b', 'c', 'd', 'e'].map((key, i) => [key, 1 + i] as [string, number]),
  ])
  const running = new Map<object, { claim: Claim; leave: () => void }>()
  const waiting = new Map<object, Claim[]>()
  const inUse = (key: string) =>
    [...running.values()].filter((item) => item.claim.limits.some(([name]) => name === key)).length
  const fits = (claim: Claim) => claim.limits.every(([key, most]) => inUse(key) < most)
  const anyClaim = (): Claim => {
    const keys = ['all', ...['a', 'b', 'c', 'd', 'e'].filter(() => random.chance(0.4))]
    return {
      lane: String(random.below(5)),
      group: random.pick(['one', 'two']),
      limits: keys.map((key) => [key, mosts.get(key)!] as const),
    }
  }
  for (let step = 0; step < 3000; step++) {
    const isLast = step > 2000
    if (!isLast && random.chance(0.5)) {
      const claim = anyClaim()
      const id = {}
      waiting.set(id, [claim])
      void slots.take(claim).entered.then((leave) => {
        waiting.delete(id)
        running.set(id, { claim: claim, leave })
      })
    } else if (running.size > 0) {
      const [id, { leave }] = random.pick([...running])
      running.delete(id)
      leave()
      leave()
    }
    await settled()
    for (const [key, most] of mosts) expect(inUse(key)).toBeLessThanOrEqual(most)
    expect([...waiting.values()].flat().filter(fits)).toEqual([])
  }
  expect([running.size, waiting.size]).toEqual([0, 0])
})

test('lanes take turns, and the longest loses when too many wait', async () => {
  const slots = createFairSlots({ waiting: 6, full })
  const order: string[] = []
  const leave = await slots.take(claim('x')).entered
  const run = async (lane: string) => {
    const ticket = slots.take(claim(lane))
    const end = await ticket.entered.catch(() => undefined)
    order.push(end ? lane : `${lane} refused`)
    end?.()
  }
  const all = ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'c', 'b'].map(run)
  leave()
  await Promise.all(all)
  expect(order.filter((value) => value === 'a refused')).toHaveLength(3)
  expect(order.filter((value) => !value.includes('refused'))).toEqual([
    'a',
    'b',
    'c',
    'a',
    'b',
    'a',
  ])
})

test('a claim that others join runs once, wherever it comes first', async () => {
  const slots = createFairSlots({ waiting: 10, full })
  const started: string[] = []
  const limited = (lane: string) =>
    claim(lane, [
      ['all', 3],
      [lane, 1],
    ])
  const hold = await slots.take(limited('x')).entered
  const behind = slots.take(limited('x'))
  const wanted = slots.take(limited('x'))
  void behind.entered.then(() => started.push('behind'))
  void wanted.entered.then(() => started.push('wanted'))
  wanted.join(limited('y'))
  await settled()
  expect(started).toEqual(['wanted'])
  hold()
  await settled()
  expect(started).toEqual(['wanted', 'behind'])
})

test('a waiting claim that loses one of its lanes still runs in the other', async () => {
  const slots = createFairSlots({ waiting: 4, full })
  const hold = await slots.take(claim('x')).entered
  const first = [slots.take(claim('a')), slots.take(claim('a')), slots.take(claim('a'))]
  first[2]!.join(claim('b'))
  const last = slots.take(claim('c'))
  const order: string[] = []
  const note = (name: string) => (leave: () => void) => {
    order.push(name)
    leave()
  }
  const all = [
    ...first.map((ticket, i) => ticket.entered.then(note(`a${i}`))),
    last.entered.then(note('c')),
  ]
  hold()
  await Promise.all(all)
  expect(order).toEqual(['a0', 'a2', 'c', 'a1'])
})
