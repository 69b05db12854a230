// Host selection and backoff, without any socket.

import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../test/support/random.ts'
import { createHosts, wireFor } from '../src/connection/hosts.ts'
import { floorIn, newest, resumeAt } from '../src/resume.ts'

const limits = { attemptsPerHost: 2, backoffBaseMs: 100, backoffMaxMs: 5000 }
const overlaps = { switchOverlapMs: 10_000, sameHostOverlapMs: 5000 }

describe('hosts', () => {
  test('are switched after two failures in a row, in order, with backoff up to a bound', () => {
    const random = createRandom(5)
    const hosts = createHosts(['a', 'b', 'c'], limits, random.next)
    const visited: string[] = []
    const pauses: number[] = []
    for (let i = 0; i < 12; i++) {
      visited.push(hosts.current())
      pauses.push(hosts.failed())
    }
    expect(visited.join('')).toBe('aabbccaabbcc')
    for (const [i, pauseMs] of pauses.entries()) {
      const ceiling = Math.min(5000, 100 * 2 ** i)
      expect(pauseMs).toBeGreaterThanOrEqual(ceiling / 2)
      expect(pauseMs).toBeLessThanOrEqual(ceiling)
    }
    expect(new Set(pauses.slice(7)).size).toBeGreaterThan(3)
  })

  test('a success resets the backoff and keeps the host', () => {
    const hosts = createHosts(['a', 'b'], limits, () => 1)
    for (let i = 0; i < 6; i++) hosts.failed()
    const here = hosts.current()
    hosts.succeeded()
    expect(hosts.failed()).toBe(100)
    expect(hosts.current()).toBe(here)
  })

  test('a failed attempt at the preferred one leads straight back', () => {
    const hosts = createHosts(['a', 'b'], limits, () => 1)
    hosts.failed()
    hosts.failed()
    hosts.succeeded()
    hosts.tryPreferred()
    expect(hosts.current()).toBe('a')
    expect(hosts.failed()).toBe(0)
    expect(hosts.current()).toBe('b')
  })

  test('auto means v2 until a host has turned out to lack it', () => {
    const traits = { isV1Only: false, distrustsSeq: false, refusesDids: false }
    expect(wireFor('auto', traits)).toBe('v2')
    expect(wireFor('auto', { ...traits, isV1Only: true })).toBe('v1')
    expect(wireFor('v2', { ...traits, isV1Only: true })).toBe('v2')
  })
})

describe('resuming', () => {
  const timeUs = 1_800_000_000_000_000
  const position = { host: 'a', wire: 'v2' as const, seq: 77, timeUs }
  const target = { host: 'a', wire: 'v2' as const, distrustsSeq: false }

  test('a seq is never used on another host or wire', () => {
    expect(resumeAt(undefined, target, overlaps)).toEqual({ cursor: undefined, seq: undefined })
    expect(resumeAt(position, target, overlaps)).toEqual({ cursor: 77, seq: 77 })
    const byTime = { cursor: timeUs - 10_000_000, seq: undefined }
    expect(resumeAt(position, { ...target, host: 'b' }, overlaps)).toEqual(byTime)
    expect(resumeAt(position, { ...target, wire: 'v1' }, overlaps)).toEqual(byTime)
    const near = { cursor: timeUs - 5_000_000, seq: undefined }
    expect(resumeAt(position, { ...target, distrustsSeq: true }, overlaps)).toEqual(near)
    expect(resumeAt({ ...position, seq: undefined }, target, overlaps)).toEqual(near)
  })

  test('a time cursor never looks like a seq', () => {
    const ancient = { ...position, timeUs: 5, seq: undefined }
    expect(resumeAt(ancient, target, overlaps).cursor).toBe(1e15)
  })

  test('uses the newest of the saved cursors', () => {
    const older = { ...position, host: 'b', timeUs: timeUs - 1 }
    expect(newest([older, position, older])).toBe(position)
    expect(newest([])).toBeUndefined()
  })

  test('reads the floor from the message, if it names one', () => {
    const message =
      'cursor too old: cursor 5 below lookback floor 31; re-backfill from your last seq'
    expect(floorIn(message)).toBe(31)
    expect(floorIn('cursor too old')).toBeUndefined()
    expect(floorIn('floor 99999999999999999999')).toBeUndefined()
  })
})
