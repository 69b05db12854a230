// Reads a query's matches in a range of time, newest first, without blocking for long. Some queries make the
// index read a lot and find nothing ("the the"), and such a read cannot be interrupted. So the scan starts
// with an hour and reads longer and longer stretches as long as they are quick; when time is up, it returns
// what it has found.

import { HOUR_MS } from '../../../base/util/durations.ts'
import type { PlaceRange, PostPlace, PostSearch } from '../../../data/store/read/post-search.ts'
import { PERIOD_MS } from '../../../data/store/search/post-index.ts'

export type Scan = {
  places: PostPlace[]
  /**
   * Where to continue, at the start of a period; undefined if everything, or as much as requested,
   * was read.
   */
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

/** Counts the matches, as far as time permits and up to `limit`. */
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
 * @param read - reads one stretch; returns whether more is wanted
 * @returns where the scan ended because time was up
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
