// The ids of an author feed page: one account's posts and reposts, newest first, by filter. Both are read
// from their own indexes and merged. A filter that few posts pass (the videos of an author with fifty
// thousand posts) must not scan the whole history at once, so each read examines a bounded window of rows. A
// window that ends without a full page still yields a cursor, and the handler's page filling continues from
// there.

import type { Db } from '../../data/store/db.ts'
import {
  type AuthorFeedWindow,
  prepareAuthorFeed,
} from '../../data/store/read/posts/author-feed.ts'
import { LATEST } from './feed-page.ts'
import {
  cursorBetween,
  type FeedPosition,
  formatFeedCursor,
  inFeedOrder,
  isBelow,
  parseFeedCursor,
  topOf,
} from './page-cursor.ts'
import type { FeedSkeleton } from './timeline.ts'

type AuthorFeedRequest = {
  author: number
  filter: string
  limit: number
  cursor: string | undefined
  /**
   * Items older than this are incomplete here: the page ends there with a cursor, unless it starts
   * below.
   */
  downTo?: number | undefined
}

/**
 * Rows examined in each list: few at first, then more if the filter passes few of them, or all are of
 * one millisecond, whose order by CID needs all of them. Of more than the last, the newest rows count.
 */
const WINDOWS = [120, 600, 5_000]

/** @returns a function that reads one page; @throws BadCursorError */
export function createAuthorFeedSkeleton(db: Db) {
  const readWindow = prepareAuthorFeed(db)
  return (request: AuthorFeedRequest): FeedSkeleton => {
    const { limit, cursor } = request
    const before = cursor === undefined ? undefined : parseFeedCursor(cursor)
    const window = firstFull(limit + 1, (size) => {
      const window = readWindow(request, before ? topOf(before) : LATEST, size)
      return { ...window, rows: window.rows.filter((row) => !before || isBelow(row, before)) }
    })
    const end = endOf(request, before)
    const floor = Math.max(window.floor, end)
    const rows = window.rows.filter(({ sortAt }) => sortAt >= end)
    rows.sort(inFeedOrder)
    const items = rows.slice(0, limit).map(({ tie }) => tie)
    const next = rows[limit]
    if (next) return { items, cursor: cursorBetween(rows[limit - 1]!, next) }
    if (floor === -Infinity) return { items, cursor: undefined }
    const wayOn = formatFeedCursor(floor, undefined)
    return floor === end ? { items, cursor: wayOn, isCut: true } : { items, cursor: wayOn }
  }
}

function endOf({ downTo }: AuthorFeedRequest, before: FeedPosition | undefined): number {
  return downTo !== undefined && downTo < (before?.sortAt ?? Infinity) ? downTo : -Infinity
}

function firstFull(count: number, read: (size: number) => AuthorFeedWindow): AuthorFeedWindow {
  for (const size of WINDOWS) {
    const window = read(size)
    const isLast = size === WINDOWS.at(-1)
    const isEnough = window.rows.length >= count && !window.isPartial
    if (isEnough || window.floor === -Infinity || isLast) return window
  }
  return { rows: [], floor: -Infinity, isPartial: false }
}
