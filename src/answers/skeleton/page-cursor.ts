// The page cursors of clients: a place in an order, as text. Feeds use the reference's form, `<ms>__<cid>`
// (the sortAt and CID of a page's last item), with its row where identical records follow. Lists of follows
// and the like use `<ms>__<rest>` or a single plain key. Cursors are validated strictly: any text we could
// not have written is refused.

import { isValidTid } from '@atproto/syntax'
import { microsOf, packCid, packRkey } from '../../base/atproto/keys.ts'
import { XRPCError } from '../../base/atproto/xrpc-error.ts'

/** The text is not a cursor of the method: a client error. */
export class BadCursorError extends XRPCError {
  override name = 'BadCursorError'

  constructor() {
    super(400, 'InvalidRequest', 'Malformed cursor')
  }
}

/**
 * A feed item in its order: by sortAt, then by CID string, then by `tie` (the number of its row), all
 * descending. Identical records, such as reposts of one post at one time, have one CID.
 */
export type PositionedItem = { sortAt: number; cid: string; tie: number }

/**
 * The place of a cursor. Without `tie`, it is below all items of its time and CID, and above them as
 * a lower bound.
 */
export type FeedPosition = { sortAt: number; cid: string; tie?: number }

/** @returns whether the row is later in that order */
export function isBelow(row: PositionedItem, edge: FeedPosition): boolean {
  if (row.sortAt !== edge.sortAt) return row.sortAt < edge.sortAt
  if (row.cid !== edge.cid) return row.cid < edge.cid
  return edge.tie !== undefined && row.tie < edge.tie
}

/** @returns whether the row is earlier in that order */
export function isAbove(row: PositionedItem, edge: FeedPosition): boolean {
  if (row.sortAt !== edge.sortAt) return row.sortAt > edge.sortAt
  if (row.cid !== edge.cid) return row.cid > edge.cid
  return edge.tie !== undefined && row.tie > edge.tie
}

export function inFeedOrder(a: PositionedItem, b: PositionedItem): number {
  if (a.sortAt !== b.sortAt) return b.sortAt - a.sortAt
  if (a.cid !== b.cid) return a.cid < b.cid ? 1 : -1
  return b.tie - a.tie
}

/** The cursor between two items of which the second may be identical to the first. */
export function cursorBetween(last: PositionedItem, next: PositionedItem | undefined): string {
  const isTied = next?.sortAt === last.sortAt && next.cid === last.cid
  return formatFeedCursor(last.sortAt, last.cid, isTied ? last.tie : undefined)
}

/** Returns the first rows below the cursor's place, and the cursor of the next page. */
export function cutRows<Row extends PositionedItem>(
  found: readonly Row[],
  { before, limit }: { before: FeedPosition | undefined; limit: number },
): { rows: Row[]; cursor: string | undefined } {
  const below = found.filter((row) => !before || isBelow(row, before)).sort(inFeedOrder)
  const rows = below.slice(0, limit)
  const last = rows.at(-1)
  const hasMore = below.length > limit && last !== undefined
  return { rows, cursor: hasMore ? cursorBetween(last, below[limit]) : undefined }
}

/** The largest time of a JavaScript Date, in milliseconds. */
const MAX_TIME_MS = 8_640_000_000_000_000
/** Sorts before any CID: replaces an item's own CID if that disappeared during the read. */
const LOWEST_CID = `bafyreia${'2'.repeat(50)}4`
/** Sorts after any other. */
const HIGHEST_CID = `bafyreih${'z'.repeat(50)}y`

/**
 * Detects cursors that only very old clients hold; the reference answers them with an empty page
 * instead of an error.
 */
export function isRetiredCursor(cursor: string | undefined): boolean {
  return cursor?.includes('::') ?? false
}

/** @throws BadCursorError */
export function parseFeedCursor(cursor: string): FeedPosition {
  const [sortAt, rest] = parseTimed(cursor)
  const [, cid, tie] = CID_AND_TIE.exec(rest) ?? []
  if (cid === undefined || !packCid(cid)) throw new BadCursorError()
  return tie === undefined ? { sortAt, cid } : { sortAt, cid, tie: Number(tie) }
}

const CID_AND_TIE = /^([a-z2-7]+)(?:__([1-9]\d{0,15}))?$/

/** Whether `parseFeedCursor` would reject it. */
export function isBadFeedCursor(cursor: string): boolean {
  try {
    parseFeedCursor(cursor)
    return false
  } catch (error) {
    if (error instanceof BadCursorError) return true
    throw error
  }
}

/** @param tie - if identical items follow */
export function formatFeedCursor(
  sortAt: number,
  cid: string | undefined,
  tie?: number | undefined,
): string {
  if (cid === undefined) return `${sortAt}__${LOWEST_CID}`
  return tie === undefined ? `${sortAt}__${cid}` : `${sortAt}__${cid}__${tie}`
}

/** The time of the first items below a position. */
export function topOf({ sortAt, cid }: FeedPosition): number {
  return cid === LOWEST_CID ? sortAt - 1 : sortAt
}

/** The position above all items older than a time. */
export function formatTimeCursor(time: number): string {
  return `${time - 1}__${HIGHEST_CID}`
}

/**
 * Parses the place that our own cursor names. A cursor from an official AppView with its own data
 * plane names a time; the page then continues with items older than that, from the lowest place at
 * that time.
 * @throws BadCursorError
 */
export function parsePosition<T>(
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

/**
 * Returns the time in a cursor of the reference: `<ms>__<cid>` or, for private state, a TID or a
 * time.
 */
function referenceTime(cursor: string): number | undefined {
  const [, ms, cid = ''] = /^(-?\d{1,15})__(b[a-z2-7]{20,100})$/.exec(cursor) ?? []
  if (packCid(cid)) return Number(ms)
  // A key that begins with a TID is one of our own.
  const tid = cursor.split('-', 1)[0]!
  if (isValidTid(tid)) return Math.floor(microsOf(packRkey(tid) as Buffer) / 1_000)
  const time = ISO_TIME.test(cursor) ? Date.parse(cursor) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * Splits `<ms>__<rest>`; the caller validates the rest.
 * @throws BadCursorError
 */
export function parseTimed(cursor: string): [ms: number, rest: string] {
  const match = /^(0|-?[1-9]\d{0,15})__(.{1,600})$/.exec(cursor)
  const ms = Number(match?.[1])
  if (!match || Math.abs(ms) > MAX_TIME_MS) throw new BadCursorError()
  return [ms, match[2]!]
}
