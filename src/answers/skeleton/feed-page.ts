// Turns batches of feed rows into one page in the full order: sortAt, then CID, both descending. Batches
// contain only times. CIDs must be looked up, so that is done only for rows that share their millisecond with
// another row or with the edge of the page.

import type { FeedBatch, FeedRow, MergedFeed } from '../../data/store/merged-feed.ts'
import type { FeedPosition } from './page-cursor.ts'

/** The requested part of a feed: strictly older than `before`, strictly newer than `after`. */
export type FeedRange = { before: FeedPosition | undefined; after: FeedPosition | undefined }

/** Where reading starts without a cursor: later than any possible time. */
export const LATEST = Number.MAX_SAFE_INTEGER
const MAX_ATTEMPTS = 12

/**
 * Reads until `count` rows lie inside the range or the feed ends.
 * @param read - returns at least `limit` rows at or before `until`, if there are that many
 */
export function rowsInRange(options: {
  range: FeedRange
  count: number
  read: (until: number, limit: number) => FeedBatch
  feed: MergedFeed
}): readonly FeedRow[] {
  const { range, count, read, feed } = options
  const until = range.before?.sortAt ?? LATEST
  // Rows of the cursor's millisecond may have been on the previous page, so read a few more.
  let limit = range.before ? count + 2 : count
  for (let attempt = 1; ; attempt++) {
    const { rows, floor } = read(until, limit)
    const inside = inOrder(rows, range, feed)
    const done = floor === -Infinity || (range.after && floor <= range.after.sortAt)
    if (inside.length >= count || done || attempt === MAX_ATTEMPTS) return inside.slice(0, count)
    limit *= 2
  }
}

/**
 * Joins batches of different originators; the result is complete only down to the highest floor.
 */
export function joinBatches(batches: readonly FeedBatch[]): FeedBatch {
  const floor = Math.max(...batches.map((batch) => batch.floor))
  const seen = new Set<number>()
  const rows = batches
    .flatMap((batch) => batch.rows)
    .filter(({ sortAt, item }) => sortAt >= floor && !seen.has(item) && seen.add(item))
  return { rows: rows.sort((a, b) => b.sortAt - a.sortAt), floor }
}

/** Returns the rows inside the range, in the full order. May omit rows deleted in the meantime. */
export function inOrder(
  rows: readonly FeedRow[],
  range: FeedRange,
  feed: Pick<MergedFeed, 'cidsOf'>,
): readonly FeedRow[] {
  const { before, after } = range
  if (areInPlace(rows, range)) return rows
  const cids = cidsOfTied(rows, range, feed)
  const isAbove = (row: FeedRow, edge: FeedPosition) =>
    row.sortAt === edge.sortAt ? cids.get(row.item)! > edge.cid : row.sortAt > edge.sortAt
  const isBelow = (row: FeedRow, edge: FeedPosition) =>
    row.sortAt === edge.sortAt ? cids.get(row.item)! < edge.cid : row.sortAt < edge.sortAt
  return rows
    .filter(({ item }) => cids.get(item) !== undefined || !cids.has(item))
    .filter((row) => (!before || isBelow(row, before)) && (!after || isAbove(row, after)))
    .sort((a, b) => b.sortAt - a.sortAt || compareTied(a, b, cids))
}

/** Whether all rows are inside the range and no two share a time, as is usual for a ring. */
function areInPlace(rows: readonly FeedRow[], { before, after }: FeedRange): boolean {
  let last = before?.sortAt ?? Infinity
  for (const { sortAt } of rows) {
    if (sortAt >= last) return false
    last = sortAt
  }
  return after === undefined || last > after.sortAt
}

/** CIDs of the rows whose order depends on them; undefined for rows that are gone. */
function cidsOfTied(
  rows: readonly FeedRow[],
  { before, after }: FeedRange,
  feed: Pick<MergedFeed, 'cidsOf'>,
): Map<number, string | undefined> {
  const edges = [before?.sortAt, after?.sortAt]
  const tied = rows
    .filter(
      ({ sortAt }, i) =>
        sortAt === rows[i - 1]?.sortAt || sortAt === rows[i + 1]?.sortAt || edges.includes(sortAt),
    )
    .map(({ item }) => item)
  if (tied.length === 0) return new Map()
  const found = feed.cidsOf(tied)
  return new Map(tied.map((item) => [item, found.get(item)]))
}

/**
 * Identical records have the same CID, even in different repositories; then the later row is first.
 */
function compareTied(a: FeedRow, b: FeedRow, cids: Map<number, string | undefined>): number {
  const [cidOfA, cidOfB] = [cids.get(a.item)!, cids.get(b.item)!]
  if (cidOfA === cidOfB) return b.item - a.item
  return cidOfA < cidOfB ? 1 : -1
}

/**
 * Cuts a page of at most `limit` rows. A cursor cannot separate rows with the same time and CID, so
 * such twins are not split between pages: all of them wait for the next one. If the page has
 * nothing else, they are split and `isSplit` is set: callers that can read on with a larger limit
 * should. `isCut` and `isSplit`: see `SkeletonPage`.
 */
export function cutPage(
  rows: readonly FeedRow[],
  limit: number,
  feed: Pick<MergedFeed, 'cidsOf'>,
): { rows: readonly FeedRow[]; isLast: boolean; isCut?: boolean; isSplit?: boolean } {
  if (rows.length <= limit) return { rows, isLast: true }
  let end = limit
  const next = rows[limit]!
  const same = rows.slice(0, limit).filter(({ sortAt }) => sortAt === next.sortAt)
  if (same.length > 0) {
    const cids = feed.cidsOf([next, ...same].map(({ item }) => item))
    const isTwin = ({ item }: FeedRow) => cids.get(item) === cids.get(next.item)
    while (end > 0 && isTwin(rows[end - 1]!) && rows[end - 1]!.sortAt === next.sortAt) end--
  }
  if (end === 0) return { rows: rows.slice(0, limit), isLast: false, isSplit: true }
  return { rows: rows.slice(0, end), isLast: false, ...(end < limit && { isCut: true }) }
}
