// The serving threads' request counters, in memory shared by all threads: any of them can answer for all, and
// the ingest thread can record the history, without messages. One buffer with a section per serving thread,
// its only writer, in 64-bit floats: a request costs one plain addition. Readers may see a request counted
// partially, which the next read corrects.

import { type FeatureGauge, features } from '../feature.ts'

/** Upper bounds in seconds; followed by a last bucket without one. */
export const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const

/** All other statuses are counted as 0. */
const COUNTED_STATUSES = [
  200, 204, 302, 304, 400, 401, 403, 404, 413, 429, 500, 501, 502, 503, 504, 0,
] as const

/** Routes other than methods: counted separately, since they say nothing about the methods. */
const CORE_ROUTES = ['pages', 'metrics', 'operator'] as const

const WEB_ROUTES: readonly string[] = [
  ...CORE_ROUTES,
  ...features.flatMap(({ webRoutes = [] }) => webRoutes),
]

/** One of the core's, or of a feature's `webRoutes`. */
export type WebRoute = string

/** A path for `count` that no request can have. */
export function webPath(route: WebRoute): string {
  return `web ${route}`
}

/** Values that a serving thread reports about itself, at least once a second. */
const CORE_GAUGES = [
  'loopLagSeconds',
  'busyShare',
  'requestShare',
  'collectionSeconds',
  'heapBytes',
  'cachedViewBytes',
  'viewerBytes',
  'cachedViewHits',
  'cachedViewMisses',
  'searchesWaiting',
  'searchesRan',
  'searchesRefused',
  'searchesGivenUp',
  'searchSeconds',
  'bytesReceived',
  'bytesSent',
] as const

export type ThreadGauge = (typeof CORE_GAUGES)[number] | FeatureGauge

const THREAD_GAUGES: readonly ThreadGauge[] = [
  ...CORE_GAUGES,
  ...features.flatMap(({ gauges = [] }) => gauges),
]

const gaugeAt = new Map(THREAD_GAUGES.map((name, i) => [name, i]))

type MethodCounts = {
  method: string
  /** By status; only those that occurred. */
  statuses: [status: number, count: number][]
  /** One count per bound in DURATION_BUCKETS, and one more. */
  durations: number[]
  /** Seconds. */
  sum: number
}

export type RequestTotals = { requests: number; failures: number; durations: number[] }

const MAX_METHODS = 256
const OTHER = 'other'
const HEALTH = '_health'
const BUCKETS = DURATION_BUCKETS.length + 1
const ROW = COUNTED_STATUSES.length + BUCKETS + 1
const SECTION = THREAD_GAUGES.length + MAX_METHODS * ROW
const XRPC = '/xrpc/'
const HEALTH_ROW = 1
const FIRST_WEB_ROW = 2
const FIRST_METHOD_ROW = FIRST_WEB_ROW + WEB_ROUTES.length
const FIRST_FAILURE = COUNTED_STATUSES.indexOf(500)

/** Allocates space for this number of serving threads. */
export function createCounterSpace(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * SECTION * Float64Array.BYTES_PER_ELEMENT)
}

/**
 * A section consists of a few gauges and a row per method: counts per status, counts per duration
 * (not cumulative), and the sum of the durations. Rows are assigned in the order of the sorted
 * names, so that all threads agree on the numbers. Unknown methods share the row `other`, which
 * bounds the number of rows.
 *
 * Used by one serving thread.
 */
export class RequestCounters {
  readonly #section: Float64Array
  readonly #rows = new Map<string, number>()
  readonly #statuses = new Map<number, number>(COUNTED_STATUSES.map((status, i) => [status, i]))

  /** @param thread - starting at 0. */
  constructor(space: SharedArrayBuffer, thread: number, methods: readonly string[]) {
    const start = thread * SECTION * Float64Array.BYTES_PER_ELEMENT
    this.#section = new Float64Array(space, start, SECTION)
    for (const [row, name] of rowNames(methods).entries()) {
      this.#rows.set(isWebRow(row) ? name : XRPC + name, row)
    }
  }

  /** @param path - of the request, unchanged. */
  count(path: string, status: number, seconds: number): void {
    const section = this.#section
    const start = THREAD_GAUGES.length + (this.#rows.get(path) ?? 0) * ROW
    section[start + (this.#statuses.get(status) ?? COUNTED_STATUSES.length - 1)]! += 1
    let bucket = 0
    while (bucket < BUCKETS - 1 && seconds > DURATION_BUCKETS[bucket]!) bucket++
    section[start + COUNTED_STATUSES.length + bucket]! += 1
    section[start + ROW - 1]! += seconds
  }

  set(gauge: ThreadGauge, value: number): void {
    this.#section[gaugeAt.get(gauge)!] = value
  }
}

/** Sums over all threads; only methods that were requested. */
export function readMethodCounts(
  space: SharedArrayBuffer,
  methods: readonly string[],
): MethodCounts[] {
  return readRows(space, methods, (row) => !isWebRow(row))
}

/** The same for routes other than methods; `method` is the route. */
export function readWebCounts(space: SharedArrayBuffer): MethodCounts[] {
  const rows = readRows(space, [], isWebRow)
  return rows.map((row) => ({ ...row, method: row.method.slice(webPath('' as WebRoute).length) }))
}

function readRows(
  space: SharedArrayBuffer,
  methods: readonly string[],
  isWanted: (row: number) => boolean,
): MethodCounts[] {
  return rowNames(methods).flatMap((method, row) => {
    if (!isWanted(row)) return []
    const sums = sumRow(space, row)
    const counts = sums.slice(0, COUNTED_STATUSES.length)
    if (counts.every((count) => count === 0)) return []
    return {
      method,
      statuses: counts.flatMap((count, i): [number, number][] =>
        count > 0 ? [[COUNTED_STATUSES[i]!, count]] : [],
      ),
      durations: sums.slice(COUNTED_STATUSES.length, ROW - 1),
      sum: sums[ROW - 1]!,
    }
  })
}

/** Sums over all threads and methods, without other routes. */
export function readRequestTotals(space: SharedArrayBuffer): RequestTotals {
  const all = new Float64Array(space)
  const totals: RequestTotals = { requests: 0, failures: 0, durations: Array(BUCKETS).fill(0) }
  for (let section = 0; section < all.length; section += SECTION) {
    for (let row = 0; row < MAX_METHODS; row++) {
      if (isWebRow(row)) continue
      const start = section + THREAD_GAUGES.length + row * ROW
      const durations = start + COUNTED_STATUSES.length
      for (let i = 0; i < BUCKETS; i++) totals.durations[i]! += all[durations + i]!
      // A monitor is answered 503 on purpose (http/server/health.ts).
      if (row !== HEALTH_ROW) totals.failures += failuresOf(all, start)
    }
  }
  totals.requests = totals.durations.reduce((sum, count) => sum + count, 0)
  return totals
}

/** One value per thread. */
export function readThreadGauge(space: SharedArrayBuffer, gauge: ThreadGauge): number[] {
  const all = new Float64Array(space)
  const first = gaugeAt.get(gauge)!
  return Array.from({ length: all.length / SECTION }, (_, thread) => all[thread * SECTION + first]!)
}

/** Returns a cheap function that reads the highest share of time that a serving thread spends on requests, 0 to 1. */
export function highestRequestShareOf(space: SharedArrayBuffer): () => number {
  const all = new Float64Array(space)
  const first = gaugeAt.get('requestShare')!
  return () => {
    let highest = 0
    for (let at = first; at < all.length; at += SECTION) highest = Math.max(highest, all[at]!)
    return highest
  }
}

/**
 * The duration in seconds below which this share of requests stayed, interpolated linearly within
 * the bucket as in Prometheus; undefined if there were no requests.
 */
export function quantileOf(durations: readonly number[], share: number): number | undefined {
  const total = durations.reduce((sum, count) => sum + count, 0)
  if (total <= 0) return undefined
  let rank = share * total
  for (const [i, count] of durations.entries()) {
    if (rank <= count && count > 0) {
      const from = DURATION_BUCKETS[i - 1] ?? 0
      const to = DURATION_BUCKETS[i] ?? from
      return from + ((to - from) * rank) / count
    }
    rank -= count
  }
  return DURATION_BUCKETS.at(-1)
}

/**
 * Failures that are our own: 500 and its equivalents. 501 and the gateway's 502 have other causes.
 */
function failuresOf(all: Float64Array, start: number): number {
  return all[start + FIRST_FAILURE]! + all[start + COUNTED_STATUSES.indexOf(503)]!
}

function rowNames(methods: readonly string[]): string[] {
  return [OTHER, HEALTH, ...WEB_ROUTES.map(webPath), ...[...methods].sort()].slice(0, MAX_METHODS)
}

function isWebRow(row: number): boolean {
  return row >= FIRST_WEB_ROW && row < FIRST_METHOD_ROW
}

function sumRow(space: SharedArrayBuffer, row: number): number[] {
  const all = new Float64Array(space)
  const sums = Array<number>(ROW).fill(0)
  for (let section = 0; section < all.length; section += SECTION) {
    const start = section + THREAD_GAUGES.length + row * ROW
    for (let i = 0; i < ROW; i++) sums[i]! += all[start + i]!
  }
  return sums
}
