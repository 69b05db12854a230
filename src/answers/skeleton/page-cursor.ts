// The page cursors that clients carry: a place in an order, as text. Feeds use the reference's form,
// `<ms>__<cid>`: the sortAt and CID of the last item of a page, so that a page never depends on what
// was above it. Lists of follows and the like use `<ms>__<rest>` or one plain key of their own.
//
// A cursor is checked strictly before it is believed: whatever we could not have written is refused.

import { isValidTid } from '@atproto/syntax'
import { microsOf, packCid, packRkey } from '../../base/atproto/keys.ts'
import { XRPCError } from '../../base/atproto/xrpc-error.ts'

/** Text that is no cursor of ours, in every method: the client's mistake. */
export class BadCursorError extends XRPCError {
  override name = 'BadCursorError'

  constructor() {
    super(400, 'InvalidRequest', 'Malformed cursor')
  }
}

/** A feed item's place: items are ordered by sortAt, then by CID string, both descending. */
export type FeedPosition = { sortAt: number; cid: string }

/** @returns whether the row comes later in that order */
export function isBelow(row: FeedPosition, edge: FeedPosition): boolean {
  return row.sortAt === edge.sortAt ? row.cid < edge.cid : row.sortAt < edge.sortAt
}

export function inFeedOrder(a: FeedPosition, b: FeedPosition): number {
  return b.sortAt - a.sortAt || (a.cid < b.cid ? 1 : -1)
}

/** The first of those below the cursor's place, and the cursor of the page after them. */
export function cutRows<Row extends FeedPosition>(
  found: readonly Row[],
  { before, limit }: { before: FeedPosition | undefined; limit: number },
): { rows: Row[]; cursor: string | undefined } {
  const below = found.filter((row) => !before || isBelow(row, before)).sort(inFeedOrder)
  const rows = below.slice(0, limit)
  const last = rows.at(-1)
  const hasMore = below.length > limit && last !== undefined
  return { rows, cursor: hasMore ? formatFeedCursor(last.sortAt, last.cid) : undefined }
}

/** The furthest that a JavaScript Date reaches, in milliseconds. */
const MAX_TIME_MS = 8_640_000_000_000_000
/** No CID is ordered before this one: stands in where an item's own CID went away while we read. */
const LOWEST_CID = `bafyreia${'2'.repeat(50)}4`

/**
 * The hallmark of cursors that only very old clients hold; the reference answers them with an
 * empty page instead of an error.
 */
export function isRetiredCursor(cursor: string | undefined): boolean {
  return cursor?.includes('::') ?? false
}

/** @throws BadCursorError */
export function parseFeedCursor(cursor: string): FeedPosition {
  const [sortAt, cid] = parseTimed(cursor)
  if (!packCid(cid)) throw new BadCursorError()
  return { sortAt, cid }
}

/** Whether `parseFeedCursor` would refuse it. */
export function isBadFeedCursor(cursor: string): boolean {
  try {
    parseFeedCursor(cursor)
    return false
  } catch (error) {
    if (error instanceof BadCursorError) return true
    throw error
  }
}

export function formatFeedCursor(sortAt: number, cid: string | undefined): string {
  return `${sortAt}__${cid ?? LOWEST_CID}`
}

/**
 * The place that a cursor of ours names. One of an official AppView with a data plane of its own names a time, and the
 * page goes on with what is older than that: from the lowest of what stands there.
 * @throws BadCursorError
 */
export function parsePlace<T>(
  cursor: string,
  { read, lowest }: { read: (rest: string) => T | undefined; lowest: T },
): [ms: number, rest: T] {
  const begun = referenceTime(cursor)
  if (begun !== undefined) return [begun, lowest]
  const [ms, text] = parseTimed(cursor)
  const rest = read(text)
  if (rest === undefined) throw new BadCursorError()
  return [ms, rest]
}

/** The reference's cursors are `<ms>__<cid>`, and for private state a TID or a time. */
function referenceTime(cursor: string): number | undefined {
  const [, ms, cid = ''] = /^(\d{1,15})__(b[a-z2-7]{20,100})$/.exec(cursor) ?? []
  if (packCid(cid)) return Number(ms)
  // A key that begins with a TID is one that we gave (http/dataplane/private-keys.ts).
  const tid = cursor.split('-', 1)[0]!
  if (isValidTid(tid)) return Math.floor(microsOf(packRkey(tid) as Buffer) / 1_000)
  const time = ISO_TIME.test(cursor) ? Date.parse(cursor) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * Splits `<ms>__<rest>`; the rest is for the caller to check.
 * @throws BadCursorError
 */
export function parseTimed(cursor: string): [ms: number, rest: string] {
  const match = /^(0|-?[1-9]\d{0,15})__(.{1,600})$/.exec(cursor)
  const ms = Number(match?.[1])
  if (!match || Math.abs(ms) > MAX_TIME_MS) throw new BadCursorError()
  return [ms, match[2]!]
}
