// Searches that wait for the thread that searches: one lane per asker, in rotation, members first, visitors last.

import type { SearchCall } from '../../answers/skeleton/search/searches.ts'
import { XRPCError } from '../../base/atproto/xrpc-error.ts'

type Asker = SearchCall['who']
type Rank = NonNullable<Asker>['rank']

type SearchTurns<T> = {
  /** @throws XRPCError 429 if this asker has too many waiting, 503 if all have */
  add(asker: Asker, item: T): void
  next(): T | undefined
  /** How many wait. */
  waiting(): number
}

/** Per asker and in all. A page of results is one at a time, but letters are typed fast. */
const LIMITS: Record<Rank, { each: number; all: number }> = {
  member: { each: 16, all: 256 },
  program: { each: 16, all: 64 },
  visitor: { each: 8, all: 64 },
}

export function createSearchTurns<T>(): SearchTurns<T> {
  const lanesOf = () => new Map<string, T[]>()
  const lanes = { member: lanesOf(), program: lanesOf(), visitor: lanesOf() }
  const waiting = { member: 0, program: 0, visitor: 0 }

  function takeFrom(rank: Rank): T | undefined {
    const [first] = lanes[rank]
    if (!first) return undefined
    const [key, lane] = first
    const item = lane.shift()
    lanes[rank].delete(key)
    if (lane.length > 0) lanes[rank].set(key, lane)
    waiting[rank] -= 1
    return item
  }

  return {
    add(asker, item) {
      const { rank, key } = asker ?? ({ rank: 'member', key: '' } as const)
      const lane = lanes[rank].get(key) ?? []
      if (waiting[rank] >= LIMITS[rank].all) throw tooManySearches()
      if (asker && lane.length >= LIMITS[rank].each) throw tooManyOfOne()
      lane.push(item)
      lanes[rank].set(key, lane)
      waiting[rank] += 1
    },
    waiting: () => waiting.member + waiting.program + waiting.visitor,
    next: () => takeFrom('member') ?? takeFrom('program') ?? takeFrom('visitor'),
  }
}

/** 503: also for a search that has waited or run for too long. */
export function tooManySearches(): XRPCError {
  const headers = { 'retry-after': '1' }
  return new XRPCError(503, 'ServiceUnavailable', 'There is too much to search just now', {
    headers,
  })
}

function tooManyOfOne(): XRPCError {
  const headers = { 'retry-after': '1' }
  return new XRPCError(429, 'RateLimitExceeded', 'Too many searches at once', { headers })
}
