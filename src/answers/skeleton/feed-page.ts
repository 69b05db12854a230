// Turns batches of feed rows into one page in the full order: sortAt, then CID, both descending. Batches
// contain only times. CIDs must be looked up, so that is done only for rows that share their millisecond with
// another row or with the edge of the page.

import { atOnce } from '../../base/util/turn.ts'
import type { FeedBatch, FeedRow, MergedFeed } from '../../data/store/timelines/merged-feed.ts'
import {
  type FeedPosition,
  formatFeedCursor,
  inFeedOrder,
  isAbove,
  isBelow,
  type PositionedItem,
} from './page-cursor.ts'

/** The requested part of a feed: strictly older than `before`, strictly newer than `after`. */
export type FeedRange = { before: FeedPosition | undefined; after: FeedPosition | undefined }

/** Where reading starts without a cursor: later than any possible time. */
export const LATEST = Number.MAX_SAFE_INTEGER
const MAX_ATTEMPTS = 12

type Rows = { range: FeedRange; count: number; feed: MergedFeed }

/**
 * Reads until `count` rows lie inside the range or the feed ends.
 * @param read - returns at least `limit` rows at or before `until`, if there are that many
 */
export function rowsInRange({
  read,
  ...rows
}: Rows & { read: (until: number, limit: number) => FeedBatch }): readonly FeedRow[] {
  return atOnce(rowsInSteps({ ...rows, read }))
}

/** The same in the steps in which `read` reads, if it needs any. */
export function* rowsInSteps({
  range,
  count,
  read,
  feed,
}: Rows & {
  read: (until: number, limit: number) => FeedBatch | Generator<void, FeedBatch>
}): Generator<void, readonly FeedRow[]> {
  const until = range.before?.sortAt ?? LATEST
  let limit = firstLimit(count, range.before !== undefined)
  for (let attempt = 1; ; attempt++) {
    const found = read(until, limit)
    const { rows, floor } = 'next' in found ? yield* found : found
    const inside = inOrder(rows, range, feed)
    const done = floor === -Infinity || (range.after && floor <= range.after.sortAt)
    if (inside.length >= count || done || attempt === MAX_ATTEMPTS) return inside.slice(0, count)
    limit *= 2
  }
}

/** How many rows are read at first. */
export function firstLimit(count: number, hasCursor: boolean): number {
  // Rows of the cursor's millisecond may have been on the previous page, so read a few more.
  return hasCursor ? count + 2 : count
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
  if (areWithin(rows, range)) return rows
  const cids = cidsOfTied(rows, range, feed)
  return rows
    .filter(({ item }) => cids.get(item) !== undefined || !cids.has(item))
    .map((row) => ({ row, position: positionOf(row, cids) }))
    .filter(({ position }) => !before || isBelow(position, before))
    .filter(({ position }) => !after || isAbove(position, after))
    .sort((a, b) => inFeedOrder(a.position, b.position))
    .map(({ row }) => row)
}

/** The CID is empty where no other row shares the time. */
function positionOf(
  { sortAt, item }: FeedRow,
  cids: ReadonlyMap<number, string | undefined>,
): PositionedItem {
  return { sortAt, cid: cids.get(item) ?? '', tie: item }
}

/** Whether all rows are inside the range and no two share a time, as is usual for a ring. */
function areWithin(rows: readonly FeedRow[], { before, after }: FeedRange): boolean {
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

/** Returns the cursor between two rows, the second of which may be an identical record. */
export function cursorAfter(
  last: FeedRow,
  next: FeedRow | undefined,
  feed: Pick<MergedFeed, 'cidsOf'>,
): string {
  const mayBeTied = next?.sortAt === last.sortAt
  const cids = feed.cidsOf(mayBeTied ? [last.item, next.item] : [last.item])
  const cid = cids.get(last.item)
  const isTied = mayBeTied && cids.get(next.item) === cid
  return formatFeedCursor(last.sortAt, cid, isTied ? last.item : undefined)
}

/** Returns the place of a page's newest row; undefined if it was deleted in the meantime. */
export function startCursorOf(
  first: FeedRow,
  feed: Pick<MergedFeed, 'cidsOf'>,
): string | undefined {
  const cid = feed.cidsOf([first.item]).get(first.item)
  return cid === undefined ? undefined : formatFeedCursor(first.sortAt, cid)
}
