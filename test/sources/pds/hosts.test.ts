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
    expect(hosts.hasRoom(HOST)).toBe(true)
    hosts.enter(HOST)
    expect(hosts.hasRoom(HOST)).toBe(false)
    expect(hosts.hasRoom('https://other.example.com')).toBe(true)
    hosts.leave(HOST)
    expect(hosts.hasRoom(HOST)).toBe(true)
  })

  it.each([
    ['seconds', () => ({ 'retry-after': '30' }), 30_000],
    ['a date', (now: number) => ({ 'retry-after': new Date(now + 40_000).toUTCString() }), 40_000],
    ['a reset time', (now: number) => resetHeaders(now, 50_000), 50_000],
    ['an hour at most', () => ({ 'retry-after': '999999' }), 3_600_000],
  ])('wait after 429 as the host asks: %s', (_name, headers, expected) => {
    const { hosts, answer, now, advance } = setUp()
    answer(429, headers(now()))
    expect(hosts.hasRoom(HOST)).toBe(false)
    expect(hosts.waitMs(HOST)).toBeGreaterThanOrEqual(expected)
    expect(hosts.waitMs(HOST)).toBeLessThanOrEqual(expected * 1.1)
    advance(expected * 1.1)
    expect(hosts.hasRoom(HOST)).toBe(true)
  })

  it('stop before the rate limit is used up', () => {
    const { hosts, answer, now, advance } = setUp()
    answer(200, resetHeaders(now(), 20_000, 500))
    expect(hosts.waitMs(HOST)).toBe(0)
    answer(200, resetHeaders(now(), 20_000, 3))
    expect(hosts.waitMs(HOST)).toBe(20_000)
    advance(20_000)
    expect(hosts.hasRoom(HOST)).toBe(true)
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
    expect(hosts.hasRoom(HOST)).toBe(false) // one probe at a time
    answer(200)
    expect(hosts.hasRoom(HOST)).toBe(true)
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
