import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../../../src/ingest/backfill/limits.ts'
import { createHosts } from '../../../src/sources/pds/hosts.ts'

const HOST = 'https://pds.example.com'

function setUp() {
  let time = 1_800_000_000_000
  const limits = { ...DEFAULT_LIMITS, perHost: 2, firstBackoffMs: 1000, longestBackoffMs: 60_000 }
  const hosts = createHosts({ limits, now: () => time, random: () => 1 })
  const advance = (ms: number) => {
    time += ms
  }
  const answer = (status: number, headers: Record<string, string> = {}) =>
    hosts.noteAnswer(HOST, { status, headers: new Headers(headers) })
  return { hosts, advance, answer, now: () => time }
}

describe('requests to a host', () => {
  it('never exceed its slots', () => {
    const { hosts } = setUp()
    hosts.enter(HOST)
    expect(hosts.hasCapacity(HOST)).toBe(true)
    hosts.enter(HOST)
    expect(hosts.hasCapacity(HOST)).toBe(false)
    expect(hosts.hasCapacity('https://other.example.com')).toBe(true)
    hosts.leave(HOST)
    expect(hosts.hasCapacity(HOST)).toBe(true)
  })

  it.each([
    ['seconds', () => ({ 'retry-after': '30' }), 30_000],
    ['a date', (now: number) => ({ 'retry-after': new Date(now + 40_000).toUTCString() }), 40_000],
    ['a reset time', (now: number) => resetHeaders(now, 50_000), 50_000],
    ['an hour at most', () => ({ 'retry-after': '999999' }), 3_600_000],
  ])('wait after 429 as the host asks: %s', (_name, headers, expected) => {
    const { hosts, answer, now, advance } = setUp()
    answer(429, headers(now()))
    expect(hosts.hasCapacity(HOST)).toBe(false)
    expect(hosts.waitMs(HOST)).toBeGreaterThanOrEqual(expected)
    expect(hosts.waitMs(HOST)).toBeLessThanOrEqual(expected * 1.1)
    advance(expected * 1.1)
    expect(hosts.hasCapacity(HOST)).toBe(true)
  })

  it('stop before the rate limit is used up', () => {
    const { hosts, answer, now, advance } = setUp()
    answer(200, resetHeaders(now(), 20_000, 500))
    expect(hosts.waitMs(HOST)).toBe(0)
    answer(200, resetHeaders(now(), 20_000, 3))
    expect(hosts.waitMs(HOST)).toBe(20_000)
    advance(20_000)
    expect(hosts.hasCapacity(HOST)).toBe(true)
  })

  it('shrink in number with repeated failures, and recover after one good answer', () => {
    const { hosts, answer, advance } = setUp()
    hosts.noteFailure(HOST)
    hosts.noteFailure(HOST)
    expect(hosts.waitMs(HOST)).toBe(0)
    hosts.noteFailure(HOST)
    expect(hosts.waitMs(HOST)).toBe(1000)
    hosts.noteFailure(HOST)
    expect(hosts.waitMs(HOST)).toBe(2000)
    advance(2000)
    hosts.enter(HOST)
    expect(hosts.hasCapacity(HOST)).toBe(false) // one probe at a time
    answer(200)
    expect(hosts.hasCapacity(HOST)).toBe(true)
  })

  it('go on about other accounts while one fails, but not about that one', () => {
    const { hosts, advance } = setUp()
    for (let i = 0; i < 3; i++) hosts.noteFailure(HOST, 'broken')
    expect(hosts.accountWaitMs(HOST, 'broken')).toBe(1000)
    expect(hosts.accountWaitMs(HOST, 'sound')).toBe(0)
    expect(hosts.accountWaitMs('https://other.example.com', 'broken')).toBe(0)
    expect(hosts.hasCapacity(HOST)).toBe(true)
    advance(1000)
    hosts.noteFailure(HOST, 'broken')
    expect(hosts.accountWaitMs(HOST, 'broken')).toBe(2000)
    hosts.noteAnswer(HOST, { status: 200, headers: new Headers() }, 'broken')
    expect(hosts.accountWaitMs(HOST, 'broken')).toBe(0)
  })

  it('become probes of further accounts if all of several fail, then rare', () => {
    const { hosts, answer, advance } = setUp()
    for (let i = 0; i < 34; i++) {
      hosts.noteFailure(HOST, `account${i}`)
      expect(hosts.waitMs(HOST)).toBe(i < 2 ? 0 : 1000)
      advance(1000)
    }
    hosts.enter(HOST)
    expect(hosts.hasCapacity(HOST)).toBe(false)
    hosts.leave(HOST)
    for (const pause of [1000, 2000, 4000, 8000]) {
      hosts.noteFailure(HOST, `another${pause}`)
      expect(hosts.waitMs(HOST)).toBe(pause)
      advance(pause)
    }
    // A failing account's own retry is no probe of the host, and is put off itself.
    hosts.noteFailure(HOST, 'account1')
    expect(hosts.waitMs(HOST)).toBe(0)
    expect(hosts.waitMs(HOST, 'account1')).toBeGreaterThan(0)
    answer(200)
    hosts.enter(HOST)
    expect(hosts.hasCapacity(HOST)).toBe(true)
  })

  it('wait no longer because the clock was set back', () => {
    const { hosts, advance } = setUp()
    for (let i = 0; i < 3; i++) hosts.noteFailure(HOST, 'broken')
    advance(-5000)
    hosts.bringForward(5000)
    expect(hosts.accountWaitMs(HOST, 'broken')).toBe(1000)
  })

  it('never wait longer than the longest backoff', () => {
    const { hosts } = setUp()
    for (let i = 0; i < 100; i++) hosts.noteFailure(HOST)
    expect(hosts.waitMs(HOST)).toBe(60_000)
  })
})

function resetHeaders(now: number, inMs: number, remaining = 0): Record<string, string> {
  const reset = String((now + inMs) / 1000)
  return { 'ratelimit-remaining': String(remaining), 'ratelimit-reset': reset }
}
