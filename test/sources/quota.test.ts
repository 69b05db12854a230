// The shares in what another server allows, whenever its window begins. The clock is simulated.

import { beforeEach, describe, expect, test } from 'vitest'
import { createCountBuffer } from '../../src/data/shared-memory/count-table.ts'
import { createQuotas, type Quota } from '../../src/sources/quota.ts'
import { createRandom } from '../support/random.ts'
import { didOf } from '../support/records.ts'
import { testSeed } from '../support/seed.ts'

const member = { rank: 'member', key: didOf('alice') } as const
const visitor = (name: string) => ({ rank: 'visitor', key: `192.0.2.${name}` }) as const

let clock: number
beforeEach(() => {
  clock = 1_700_000_000_000
})

const headers = (limit: number, remaining: number) =>
  new Headers({
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(Math.floor(clock / 1000) + 300),
    'ratelimit-policy': `${limit};w=300`,
  })

function takeAll(quota: Quota, asker: Parameters<Quota['take']>[0]): number {
  let taken = 0
  while (taken < 100_000 && quota.take(asker)) taken++
  return taken
}

describe('shares', () => {
  const create = () => createQuotas(createCountBuffer(64), { now: () => clock }).of('a.example')

  test.each([undefined, 3_000, 600])(
    'of no five minutes do visitors get more than a quarter, one address a tenth (limit %s)',
    (limit) => {
      const random = createRandom(testSeed('quota'))
      const quota = create()
      const most = limit ?? 3_000
      const taken: { at: number; key: string }[] = []
      for (let step = 0; step < 4_000; step++) {
        clock += random.below(500)
        if (limit) quota.note(headers(limit, limit))
        const asker = visitor(String(random.below(random.chance(0.5) ? 2 : 20)))
        for (let i = random.below(10); i > 0; i--) {
          if (quota.take(asker)) taken.push({ at: clock, key: asker.key })
        }
      }
      const since = (at: number) => taken.filter((item) => item.at > at - 300_000 && item.at <= at)
      for (let at = clock - 600_000; at <= clock; at += 7_000) {
        const window = since(at)
        expect(window.length).toBeLessThanOrEqual(most / 4)
        const ofOne = window.filter(({ key }) => key === visitor('1').key)
        expect(ofOne.length).toBeLessThanOrEqual(most / 10)
      }
      expect(since(clock).length).toBeGreaterThan(most / 8)
    },
  )

  test('members are not counted with visitors, and one of them leaves others half', () => {
    const quota = create()
    for (let i = 0; i < 200; i++) takeAll(quota, visitor(String(i)))
    const first = takeAll(quota, member)
    expect(first).toBeGreaterThan(100)
    expect(first * 11).toBeLessThanOrEqual(1_500)
    expect(takeAll(quota, { ...member, key: didOf('bob') })).toBe(first)
    expect(quota.take(undefined)).toBe(true)
  })

  test('of the last quarter, visitors get nothing until the host begins anew', () => {
    const quota = create()
    quota.note(headers(3_000, 751))
    expect(quota.take(visitor('1'))).toBe(true)
    quota.note(headers(3_000, 750))
    expect(quota.take(visitor('1'))).toBe(false)
    expect(quota.take(member)).toBe(true)
    clock += 301_000
    expect(quota.take(visitor('1'))).toBe(true)
  })

  test('each host has a limit of its own', () => {
    const quotas = createQuotas(createCountBuffer(64), { now: () => clock })
    const [first, other] = ['one.example', 'other.example'].map((host) => quotas.of(host))
    const all = takeAll(first!, visitor('1'))
    expect(quotas.of('one.example').take(visitor('1'))).toBe(false)
    other!.note(headers(30, 30))
    expect(takeAll(other!, visitor('1'))).toBe(1)
    expect(all).toBeGreaterThan(20)
  })

  test('nonsense in headers changes nothing', () => {
    const quota = create()
    const usual = takeAll(create(), visitor('1'))
    for (const limit of ['-1', '0', 'x', '1e999', '']) {
      quota.note(new Headers({ 'ratelimit-limit': limit, 'ratelimit-policy': ';w=x' }))
    }
    expect(takeAll(quota, visitor('1'))).toBe(usual)
  })
})
