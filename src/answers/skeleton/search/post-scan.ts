// Reads what fits a query out of a stretch of time, the newest first, without ever being long away: a
// query can be such that the index reads a great deal and finds nothing ("the the"), and nothing
// interrupts it. So it is asked for an hour first, then for longer and longer as long as that is quick,
// and where the time is up, what was found until then has to do.

import { HOUR_MS } from '../../../base/util/durations.ts'
import type { PlaceRange, PostPlace, PostSearch } from '../../../data/store/read/post-search.ts'
import { PERIOD_MS } from '../../../data/store/search/post-index.ts'

export type Scan = {
  places: PostPlace[]
  /** Where to go on, a whole period; undefined where all was read, or as much as was asked for. */
  cutAt: PostPlace | undefined
}

type ScanOptions = {
  range: PlaceRange
  limit: number
  maxWaitMs?: number
}

const FIRST_PERIODS = Math.ceil(HOUR_MS / PERIOD_MS)
const GROWTH = 4
const QUICK_MS = 4
const MAX_WAIT_MS = 40

export function scanPosts(
  search: PostSearch,
  match: string,
  { range, limit, maxWaitMs = MAX_WAIT_MS }: ScanOptions,
): Scan {
  const places: PostPlace[] = []
  const cutAt = inSteps(search, { range, maxWaitMs }, (step) => {
    for (const place of search.places(match, step, limit - places.length)) places.push(place)
    return places.length < limit
  })
  return { places, cutAt }
}

/** How many there are, as far as there is time to count, and up to `limit`. */
export function countPosts(
  search: PostSearch,
  match: string,
  { range, limit, maxWaitMs = MAX_WAIT_MS }: ScanOptions,
): number {
  let count = 0
  inSteps(search, { range, maxWaitMs }, (step) => {
    count += search.count(match, step, limit - count)
    return count < limit
  })
  return count
}

/**
 * @param read - one stretch; returns whether more is wanted
 * @returns where it ended for want of time
 */
function inSteps(
  search: PostSearch,
  { range: { from, below }, maxWaitMs }: Required<Omit<ScanOptions, 'limit'>>,
  read: (step: PlaceRange) => boolean,
): PostPlace | undefined {
  const ends = search.ends()
  if (!ends) return undefined
  const startedAt = performance.now()
  const last = { period: Math.max(from.period, ends.oldest), id: from.id }
  if (last.period !== from.period) last.id = 0
  let top = below.period > ends.newest ? { period: ends.newest + 1, id: 0 } : below
  for (let periods = FIRST_PERIODS; isBelow(last, top); ) {
    const stepAt = performance.now()
    const low = { period: top.period - periods, id: 0 }
    const isLast = !isBelow(last, low)
    if (!read({ from: isLast ? last : low, below: top }) || isLast) return undefined
    top = low
    if (performance.now() - startedAt > maxWaitMs) return top
    if (performance.now() - stepAt < QUICK_MS) periods *= GROWTH
  }
  return undefined
}

function isBelow(a: PostPlace, b: PostPlace): boolean {
  return a.period < b.period || (a.period === b.period && a.id < b.id)
}
