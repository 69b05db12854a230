// The shared request counters against a naive list of all requests, across the sections of several threads.

import { describe, expect, test } from 'vitest'
import { createRegistry, histogramSamples } from '../../../src/base/obs/metric.ts'
import {
  createCounterSpace,
  DURATION_BUCKETS,
  quantileOf,
  RequestCounters,
  readMethodCounts,
  readRequestTotals,
  readThreadGauge,
} from '../../../src/base/obs/request-counters.ts'
import { createRandom } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'

const METHODS = ['io.test.b', 'io.test.a', 'io.test.c']

type Request = { path: string; method: string; status: number; seconds: number }

function randomRequests(count: number): Request[] {
  const random = createRandom(testSeed('request counters'))
  const known = METHODS.map((method) => ({ path: `/xrpc/${method}`, method }))
  const strange = ['/', '/xrpc/io.test.unknown', '/xrpc/', '/wp-login.php'].map((path) => ({
    path,
    method: 'other',
  }))
  return Array.from({ length: count }, () => ({
    ...random.pick([...known, ...strange, { path: '/xrpc/_health', method: '_health' }]),
    status: random.pick([200, 200, 200, 400, 401, 418, 500, 503]),
    seconds: random.pick([0, 0.0005, 0.00051, 0.01, 0.3, 9, 60]),
  }))
}

describe('request counters', () => {
  test('match a list of all requests, summed over all threads', () => {
    const space = createCounterSpace(3)
    const threads = [0, 1, 2].map((thread) => new RequestCounters(space, thread, METHODS))
    const requests = randomRequests(2_000)
    for (const [i, { path, status, seconds }] of requests.entries()) {
      threads[i % 3]!.count(path, status, seconds)
    }
    const notified = readMethodCounts(space, METHODS)
    expect(notified.map(({ method }) => method).sort()).toEqual(
      ['_health', ...METHODS, 'other'].sort(),
    )
    for (const { method, statuses, durations, sum } of notified) {
      const mine = requests.filter((request) => request.method === method)
      const named = mine.map(({ status }) => (status === 418 ? 0 : status))
      const wanted = Object.entries(Object.groupBy(named, String)).map(([status, all]) => [
        ...[Number(status), all!.length],
      ])
      expect(statuses.sort()).toEqual(wanted.sort())
      const buckets = [...DURATION_BUCKETS, Infinity].map(
        (to, i) =>
          mine.filter(({ seconds }) => seconds <= to && seconds > (DURATION_BUCKETS[i - 1] ?? -1))
            .length,
      )
      expect(durations).toEqual(buckets)
      expect(sum).toBeCloseTo(
        mine.reduce((all, { seconds }) => all + seconds, 0),
        6,
      )
    }
    const { requests: total, failures } = readRequestTotals(space)
    expect(total).toBe(requests.length)
    // A monitor's 503 is no failure (http/server/health.ts).
    const failed = requests.filter(({ method, status }) => status >= 500 && method !== '_health')
    expect(failures).toBe(failed.length)
  })

  test('report each thread separately', () => {
    const space = createCounterSpace(2)
    new RequestCounters(space, 0, []).set('heapBytes', 5)
    new RequestCounters(space, 1, METHODS).set('heapBytes', 7)
    expect(readThreadGauge(space, 'heapBytes')).toEqual([5, 7])
    expect(readRequestTotals(space).requests).toBe(0)
  })

  test('a quantile lies in its bucket, and is absent without requests', () => {
    const durations = DURATION_BUCKETS.map(() => 0)
    expect(quantileOf([...durations, 0], 0.5)).toBeUndefined()
    expect(quantileOf([4, ...durations], 0.5)).toBeCloseTo(0.00025)
    const spread = [0, 0, 0, 10, ...durations.slice(4), 1]
    expect(quantileOf(spread, 0.5)).toBeGreaterThan(0.0025)
    expect(quantileOf(spread, 0.5)).toBeLessThanOrEqual(0.005)
    expect(quantileOf(spread, 0.99)).toBe(10)
  })
})

describe('a metric', () => {
  test('is read at scrape time, in Prometheus’ text format, with cumulative buckets', async () => {
    let counts = [1, 0, 2, ...DURATION_BUCKETS.slice(3).map(() => 0), 1]
    const registry = createRegistry([
      { name: 'hits_total', type: 'counter', help: 'Hits.', read: () => [{ value: counts[2]! }] },
      {
        name: 'took_seconds',
        type: 'histogram',
        help: 'Time.',
        read: () =>
          histogramSamples(
            'took_seconds',
            { of: 'a"b' },
            { bounds: DURATION_BUCKETS, counts, sum: 1.5 },
          ),
      },
    ])
    counts = counts.with(2, 5)
    const text = await registry.metrics()
    expect(text).toContain('# TYPE hits_total counter\nhits_total 5\n')
    expect(text).toContain('# TYPE took_seconds histogram')
    expect(text).toContain('took_seconds_bucket{of="a\\"b",le="0.0005"} 1\n')
    expect(text).toContain('took_seconds_bucket{of="a\\"b",le="0.0025"} 6\n')
    expect(text).toContain('took_seconds_bucket{of="a\\"b",le="+Inf"} 7\n')
    expect(text).toContain('took_seconds_sum{of="a\\"b"} 1.5\n')
    expect(text).toContain('took_seconds_count{of="a\\"b"} 7')
  })
})
