// Limits on the accounts admitted per hour, against mass registration: in total, per address, per domain.

import { expect, test } from 'vitest'
import type { XRPCError } from '../../../src/base/atproto/xrpc-error.ts'
import { createNewcomers } from '../../../src/http/overload/newcomers.ts'
import { createRateBuffers } from '../../../src/http/overload/rate-limits.ts'

const START_MS = Date.parse('2026-11-01T12:00:00Z')

function createScene({ limit = 1_000, unlimitedAddresses = [] as string[] } = {}) {
  const clock = { now: START_MS }
  const buffer = createRateBuffers().newcomers
  const config = { newMembersPerHour: limit, trustedProxies: ['127.0.0.0/8'], unlimitedAddresses }
  const threads = [1, 2].map(() => createNewcomers({ config, buffer, now: () => clock.now }))
  let made = 0

  function refusalOf(did: string, from: string): XRPCError | undefined {
    const request = { remoteAddress: from, header: () => undefined }
    try {
      threads[made++ % threads.length]!.admit(did, request)
      return undefined
    } catch (error) {
      return error as XRPCError
    }
  }

  /** Counts how many of `count` accounts are admitted. */
  function flood(count: number, from: (i: number) => string, did = minted): number {
    let admitted = 0
    for (let i = 0; i < count; i++) if (!refusalOf(did(made), from(i))) admitted++
    return admitted
  }
  return { clock, refusalOf, flood }
}

const minted = (i: number) => `did:plc:minted${i}`
const real = (name: string) => `did:plc:real${name}`

test('a flood from one address gets only part of the hour’s quota, and others are still admitted', () => {
  const { refusalOf, flood } = createScene()
  expect(flood(1_000, () => '203.0.113.1')).toBe(200)
  for (let i = 0; i < 100; i++) expect(refusalOf(real(`${i}`), '198.51.100.7')).toBeUndefined()
  expect(flood(1_000, () => '203.0.113.1')).toBe(0)
})

test('a flood from forty addresses leaves room for one more', () => {
  const { refusalOf, flood } = createScene()
  const admitted = flood(40_000, (i) => `203.0.113.${i % 40}`)
  expect(admitted).toBeLessThan(1_000)
  expect(refusalOf(real('alice'), '198.51.100.7')).toBeUndefined()
})

test('the networks of one IPv6 customer are one', () => {
  const { refusalOf, flood } = createScene()
  expect(flood(1_000, (i) => `2001:db8:1:${i.toString(16)}::1`)).toBe(200)
  expect(refusalOf(real('alice'), '2001:db8:2::1')).toBeUndefined()
})

test('a did:web domain counts by its registered name, whatever its subdomain', () => {
  const { refusalOf, flood } = createScene()
  const address = (i: number) => `203.0.${Math.floor(i / 250)}.${i % 250}`
  const below = (domain: string) => (i: number) => `did:web:u${i}.users.${domain}`
  expect(flood(500, address, below('flood.example.co.uk'))).toBe(25)
  expect(flood(500, address, (i) => `did:web:flood.example.co.uk%3A${1_000 + i}`)).toBe(0)
  expect(refusalOf('did:web:alice.other.co.uk', '203.0.0.1')).toBeUndefined()
  expect(refusalOf(real('alice'), '203.0.0.1')).toBeUndefined()
})

test('the refusal says when to retry, and then an account is admitted', () => {
  const { clock, refusalOf, flood } = createScene()
  flood(300, () => '203.0.113.1')
  const refusal = refusalOf(real('alice'), '203.0.113.1')!
  expect([refusal.status, refusal.error]).toEqual([429, 'RateLimitExceeded'])
  expect(refusal.message).toContain('Try again in')
  const seconds = Number(refusal.headers?.['retry-after'])
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(3_600)
  clock.now += seconds * 1_000
  expect(refusalOf(real('alice'), '203.0.113.1')).toBeUndefined()
})

test('an account counts once, and the operator’s own addresses not at all', () => {
  const { refusalOf, flood } = createScene({ limit: 20, unlimitedAddresses: ['192.0.2.0/24'] })
  for (let i = 0; i < 50; i++) expect(refusalOf(real('alice'), '203.0.113.1')).toBeUndefined()
  expect(flood(500, () => '192.0.2.9')).toBe(500)
  expect(refusalOf(real('bob'), '203.0.113.1')).toBeUndefined()
  expect(flood(500, () => '203.0.113.2')).toBeLessThan(6)
})

test('0 means no limit', () => {
  const { flood } = createScene({ limit: 0 })
  expect(flood(5_000, () => '203.0.113.1')).toBe(5_000)
})
