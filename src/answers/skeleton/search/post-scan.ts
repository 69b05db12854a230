// Reads a query's matches in a range of time, newest first, one stretch of the index after the other. A read
// of a stretch cannot be interrupted, but a stretch is short (data/store/search/stretches.ts). When the time
// is up, the scan returns what it has found; it always reads one stretch, so that a search gets on.

import type {
  PositionRange,
  PostPosition,
  PostSearch,
  Stretch,
} from '../../../data/store/read/posts/post-search.ts'
import type { PostMatch } from '../../../data/store/search/post-query.ts'

export type Scan = {
  positions: PostPosition[]
  /**
   * Where to continue, at the start of a period; undefined if everything, or as much as requested,
   * was read.
   */
  cutAt: PostPosition | undefined
}

type ScanOptions = {
  range: PositionRange
  limit: number
  /** Asked after each stretch. */
  isTimeOver: () => boolean
}

export function scanPosts(
  search: PostSearch,
  match: PostMatch,
  { range, limit, isTimeOver }: ScanOptions,
): Scan {
  const positions: PostPosition[] = []
  const cutAt = byStretch(search, { range, isTimeOver }, (stretch, part) => {
    const left = limit - positions.length
    const found = search.positions(match, { stretch, range: part, limit: left })
    for (const position of found) positions.push(position)
    return positions.length < limit
  })
  return { positions, cutAt }
}

/** Counts the matches, as far as time permits and up to `limit`. */
export function countPosts(
  search: PostSearch,
  match: PostMatch,
  { range, limit, isTimeOver }: ScanOptions,
): number {
  let count = 0
  byStretch(search, { range, isTimeOver }, (stretch, part) => {
    count += search.count(match, { stretch, range: part, limit: limit - count })
    return count < limit
  })
  return count
}

/**
 * @param read - reads a part of one stretch; returns whether more is wanted
 * @returns where the scan ended because time was up
 */
function byStretch(
  search: PostSearch,
  { range: { from, below }, isTimeOver }: Omit<ScanOptions, 'limit'>,
  read: (stretch: Stretch, part: PositionRange) => boolean,
): PostPosition | undefined {
  const ends = search.ends()
  if (!ends) return undefined
  const last = from.period < ends.oldest ? { period: ends.oldest, id: 0 } : from
  let top = below.period > ends.newest ? { period: ends.newest + 1, id: 0 } : below
  while (isBelow(last, top)) {
    const stretch = search.stretchAt(top.id > 0 ? top.period : top.period - 1)
    const low = { period: stretch.first, id: 0 }
    const isLast = !isBelow(last, low)
    if (!read(stretch, { from: isLast ? last : low, below: top }) || isLast) return undefined
    top = low
    if (isTimeOver()) return top
  }
  return undefined
}

function isBelow(a: PostPosition, b: PostPosition): boolean {
  return a.period < b.period || (a.period === b.period && a.id < b.id)
}
