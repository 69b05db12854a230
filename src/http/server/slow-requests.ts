// The slowest requests of the last hour on this thread, each with its time by step, which a percentile can't
// show. A request faster than all of them costs one comparison.

import type { Collections } from '../../base/obs/collections.ts'
import { HOUR_MS } from '../../base/util/durations.ts'
import type { HttpRequest } from './http-request.ts'

const MAX_STORED = 100
const CACHED_MS = HOUR_MS
/** Delay until garbage collection pauses are reported. */
const SETTLED_MS = 100

type SlowRequest = {
  /** Milliseconds since 1970. */
  at: number
  path: string
  status: number
  /** Total in milliseconds; excludes `lateMs`. */
  totalMs: number
  lateMs: number
  token: number
  wait: number
  queue: number
  skeleton: number
  rows: number
  /** The rest of the handler: views from the cache, and the method's other work. */
  views: number
  finish: number
  write: number
  /** Garbage collection pauses within all steps. */
  collectionsMs: number
}

export type SlowRequests = {
  add(request: Pick<HttpRequest, 'path' | 'clock'>, status: number): void
  /** Slowest first. */
  list(): SlowRequest[]
}

export function createSlowRequests(parts: {
  collections: Pick<Collections, 'between'>
  now?: () => number
}): SlowRequests {
  const { collections, now = Date.now } = parts
  let retained: SlowRequest[] = []
  let fastest = 0

  function store(slowRequest: SlowRequest): void {
    retained = retained.filter(({ at }) => at > slowRequest.at - CACHED_MS)
    retained.push(slowRequest)
    retained.sort((a, b) => b.totalMs - a.totalMs)
    retained.length = Math.min(retained.length, MAX_STORED)
    fastest = retained.length < MAX_STORED ? 0 : retained.at(-1)!.totalMs
  }

  return {
    add({ path, clock }, status) {
      if (!clock) return
      const totalMs = clock.endedAt - clock.startedAt
      // Keeps one now and then even if it is faster, so that those from over an hour ago are
      // dropped.
      if (totalMs <= fastest && now() - retained.at(-1)!.at < CACHED_MS) return
      const { token, wait, queue, skeleton, rows, handler, finish, write, lateMs } = clock
      const views = Math.max(0, handler - skeleton - rows)
      const steps = { token, wait, queue, skeleton, rows, views, finish, write }
      const item = { at: now(), path, status, totalMs, lateMs, ...steps, collectionsMs: 0 }
      store(item)
      const { startedAt, endedAt } = clock
      setTimeout(() => {
        item.collectionsMs = collections.between(startedAt, endedAt)
      }, SETTLED_MS).unref()
    },
    list: () => retained.filter(({ at }) => at > now() - CACHED_MS),
  }
}
