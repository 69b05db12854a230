// Figures of simulated readers: failures stand apart from latencies, nobody wins where sign-ins failed, and a long
// history keeps its peaks.

import { expect, test } from 'vitest'
import { Recorder, tableOf } from '../../scripts/readers/figures.ts'
import { createHistory, momentOf } from '../../scripts/readers/history.ts'

function recorded(signInFails: boolean) {
  const recorder = new Recorder(['quick', 'slow'])
  for (let i = 0; i < 10; i++) {
    recorder.record('quick', 'sign-in', { ms: 5, ...(signInFails && { failure: 'refused' }) })
    recorder.record('slow', 'sign-in', { ms: 50 })
    recorder.record('quick', 'timeline', { ms: 2 })
    recorder.record('slow', 'timeline', { ms: 20 })
    recorder.record('slow', 'thread', { ms: 30_000, failure: 'timed out' })
  }
  return recorder
}

test('what failed is counted, and is in no latency', () => {
  const { servers } = recorded(false).figures(1, 0)
  expect(servers[1]!.methods.thread).toMatchObject({ count: 0, failed: 10, max: 0 })
  expect(servers[1]!.methods.timeline).toMatchObject({ count: 10, failed: 0 })
  const [quick, slow] = recorded(true).takeLatest()
  expect([quick!.read.count, quick!.failed]).toEqual([10, 10])
  expect([slow!.read.count, slow!.failed]).toEqual([20, 10])
  expect(slow!.read.p99).toBeLessThan(100)
})

test('the quicker one wins, and nobody does where sign-ins failed', () => {
  const fair = recorded(false).figures(1, 0)
  expect([fair.winner, fair.undecided]).toEqual(['quick', undefined])
  const unfair = recorded(true).figures(1, 0)
  expect([unfair.winner, unfair.undecided]).toEqual([undefined, 'sign-ins failed: 10 at quick'])
  expect(tableOf(unfair)).toContain('none is compared, as sign-ins failed: 10 at quick')
  expect(tableOf(unfair)).toContain('10 failed, not among these')
})

test('rates are those of the stretch, and a counter that began anew has none', () => {
  const usage = (writes: number) => ({ writes, leftOut: undefined, memoryMb: 9, cpuSeconds: 1 })
  const read = { count: 4, p50: 1, p99: 2 }
  const moment = momentOf({ read, failed: 2, usage: [usage(10), usage(30)] }, 2)
  expect(moment).toEqual({
    requests: 3,
    failed: 1,
    p50: 1,
    p99: 2,
    writes: 10,
    leftOut: undefined,
    memoryMb: 9,
    cores: 0,
  })
  const anew = momentOf({ read: { ...read, count: 0 }, failed: 0, usage: [usage(30), usage(1)] }, 1)
  expect([anew.writes, anew.p50, anew.p99]).toEqual([undefined, undefined, undefined])
})

test('a history is bounded, in order, and keeps its highest p99', () => {
  const history = createHistory(100)
  const quiet = { failed: 0, p50: 1, writes: 1, leftOut: 0, memoryMb: 1, cores: 1 }
  for (let i = 0; i < 5_000; i++) {
    const p99 = i === 777 ? 9_999 : 2
    history.add({ seconds: i, servers: [{ ...quiet, requests: 1, p99 }] })
  }
  const points = history.points()
  expect(points.length).toBeLessThanOrEqual(100)
  const seconds = points.map((point) => point.seconds)
  expect(seconds.toSorted((a, b) => a - b)).toEqual(seconds)
  expect(seconds.at(-1)).toBe(4_999)
  expect(Math.max(...points.map(({ servers }) => servers[0]!.p99!))).toBe(9_999)
  expect(points.every(({ servers }) => servers[0]!.requests === 1)).toBe(true)
})
