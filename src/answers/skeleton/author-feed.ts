// The ids of an author feed page: one account's posts and reposts, newest first, by filter.
//
// Posts and reposts are read from their own indexes and merged. A filter that hardly anything passes
// (videos of somebody who wrote fifty thousand posts) must not cost the whole history in one go, so
// each read looks at a bounded window of rows; a window that ends without a full page still gives a
// cursor, and the handler's page filling goes on from there.

import { unpackCid } from '../../base/atproto/keys.ts'
import type { Db } from '../../data/store/db.ts'
import { postItem, repostItem } from '../../data/store/item-ids.ts'
import type { FeedRow } from '../../data/store/merged-feed.ts'
import { HAS_MEDIA, HAS_VIDEO } from '../../data/store/post-flags.ts'
import { cutPage, LATEST } from './feed-page.ts'
import { type FeedPosition, formatFeedCursor, parseFeedCursor } from './page-cursor.ts'
import type { FeedSkeleton } from './timeline.ts'

/** Values of `filter`; as in the reference, any other value is treated as `posts_with_replies`. */
export type AuthorFeedFilter =
  | 'posts_with_replies'
  | 'posts_no_replies'
  | 'posts_with_media'
  | 'posts_and_author_threads'
  | 'posts_with_video'

export type AuthorFeedRequest = {
  author: number
  filter: string
  limit: number
  cursor: string | undefined
}

/** Rows looked at in each list: first few, then more where the filter lets little through. */
const WINDOWS = [120, 600, 5_000]

const POST_CONDITIONS: Record<AuthorFeedFilter, string> = {
  posts_with_replies: 'TRUE',
  posts_no_replies: 'p.parent IS NULL',
  // Pictures alone, as in the reference: videos have a filter, and the client a tab, of their own.
  posts_with_media: `p.flags & ${HAS_MEDIA | HAS_VIDEO} = ${HAS_MEDIA}`,
  posts_with_video: `p.flags & ${HAS_VIDEO} <> 0`,
  posts_and_author_threads:
    'p.parent IS NULL OR (SELECT r.uid FROM posts r WHERE r.id = p.root) = p.uid',
}
/** The filters that show nothing but the account's own posts. */
const WITHOUT_REPOSTS = new Set<string>(['posts_with_media', 'posts_with_video'])

type Row = FeedRow & { cid: string }
type Window = {
  rows: Row[]
  /** As in a FeedBatch. */
  floor: number
}
type Columns = [sortAt: number, id: number, cid: Buffer, shown: number]

/** @returns reads one page; @throws BadCursorError */
export function createAuthorFeedSkeleton(db: Db) {
  const readWindow = prepareWindows(db)
  return (request: AuthorFeedRequest): FeedSkeleton => {
    const { limit, cursor } = request
    const before = cursor === undefined ? undefined : parseFeedCursor(cursor)
    const { rows, floor } = firstFull(limit + 1, (size) => {
      const window = readWindow(request, before?.sortAt ?? LATEST, size)
      return { ...window, rows: window.rows.filter((row) => !before || isBelow(row, before)) }
    })
    rows.sort((a, b) => b.sortAt - a.sortAt || (a.cid < b.cid ? 1 : -1))
    const cids = new Map(rows.map(({ item, cid }) => [item, cid]))
    const page = cutPage(rows, limit, { cidsOf: () => cids })
    const items = page.rows.map(({ item }) => item)
    if (page.isLast && floor === -Infinity) return { items, cursor: undefined }
    const last = page.rows.at(-1)!
    const wayOn = page.isLast
      ? formatFeedCursor(floor, undefined)
      : formatFeedCursor(last.sortAt, cids.get(last.item))
    return { items, cursor: wayOn, ...(!page.isLast && items.length < limit && { isCut: true }) }
  }
}

function isBelow(row: Row, edge: FeedPosition): boolean {
  return row.sortAt === edge.sortAt ? row.cid < edge.cid : row.sortAt < edge.sortAt
}

function firstFull(count: number, read: (size: number) => Window): Window {
  for (const size of WINDOWS) {
    const window = read(size)
    const isLast = size === WINDOWS.at(-1)
    if (window.rows.length >= count || window.floor === -Infinity || isLast) return window
  }
  return { rows: [], floor: -Infinity }
}

/** @returns reads both lists at or before `until`, as far down as both windows reach. */
function prepareWindows(db: Db) {
  const selectPosts = new Map(
    Object.entries(POST_CONDITIONS).map(([filter, condition]) => [
      filter,
      db
        .prepare<[number, number, number], Columns>(
          `SELECT p.sort_at, p.id, p.cid, (${condition}) FROM posts p
          WHERE p.uid = +? AND p.state = 1 AND p.sort_at <= +? ORDER BY p.sort_at DESC LIMIT +?`,
        )
        .raw(),
    ]),
  )
  const selectReposts = db
    .prepare<[number, number, number], Columns>(
      `SELECT sort_at, id, cid, 1 FROM reposts
      WHERE uid = +? AND sort_at <= +? ORDER BY sort_at DESC LIMIT +?`,
    )
    .raw()

  return ({ author, filter }: AuthorFeedRequest, until: number, size: number): Window => {
    const known = selectPosts.has(filter) ? filter : 'posts_with_replies'
    const posts = selectPosts.get(known)!.all(author, until, size)
    const reposts = WITHOUT_REPOSTS.has(known) ? [] : selectReposts.all(author, until, size)
    const ends = [posts, reposts].filter((list) => list.length === size)
    // A window of nothing but one millisecond is taken as it is, or there would be no way past it.
    const floor = Math.max(...ends.map((list) => Math.min(list.at(-1)![0] + 1, until)), -Infinity)
    const toRows = (columns: Columns[], toItem: (id: number) => number): Row[] =>
      columns
        .filter(([sortAt, , , shown]) => sortAt >= floor && shown === 1)
        .map(([sortAt, id, cid]) => ({
          sortAt,
          item: toItem(id),
          originator: author,
          cid: unpackCid(cid),
        }))
    return { rows: [...toRows(posts, postItem), ...toRows(reposts, repostItem)], floor }
  }
}
