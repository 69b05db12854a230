// A time window of one account's own posts and reposts, by filter: the source of an author feed's pages.

import { unpackCid } from '../../../../base/atproto/keys.ts'
import type { Db } from '../../db.ts'
import { HAS_MEDIA, HAS_VIDEO, REPLY_TO_NO_POST } from '../../posts/post-flags.ts'
import { postItem, repostItem } from '../../timelines/item-ids.ts'

/** Values of `filter`; as in the reference, any other value is treated as `posts_with_replies`. */
type AuthorFeedFilter =
  | 'posts_with_replies'
  | 'posts_no_replies'
  | 'posts_with_media'
  | 'posts_and_author_threads'
  | 'posts_with_video'

const NO_REPLY = `p.parent IS NULL AND p.flags & ${REPLY_TO_NO_POST} = 0`

const POST_CONDITIONS: Record<AuthorFeedFilter, string> = {
  posts_with_replies: 'TRUE',
  posts_no_replies: NO_REPLY,
  // Pictures only, as in the reference: videos have their own filter, and their own tab in the
  // client.
  posts_with_media: `p.flags & ${HAS_MEDIA | HAS_VIDEO} = ${HAS_MEDIA}`,
  posts_with_video: `p.flags & ${HAS_VIDEO} <> 0`,
  posts_and_author_threads: `${NO_REPLY}
    OR (SELECT r.uid FROM posts r WHERE r.id = p.root) = p.uid`,
}

/** Filters that show only the account's own posts. */
const WITHOUT_REPOSTS = new Set<string>(['posts_with_media', 'posts_with_video'])

/** `tie`: the item. */
type AuthorFeedRow = { sortAt: number; cid: string; tie: number }
export type AuthorFeedWindow = {
  rows: AuthorFeedRow[]
  /** Like in a FeedBatch. */
  floor: number
  /** Whether rows at the floor itself are missing: a list read is all one millisecond. */
  isPartial: boolean
}
/** Of those that the filter leaves out, no CID is read: of thousands, that would be most of the work. */
type Columns = [sortAt: number, id: number, cid: Buffer | null]

/**
 * @returns a function that reads both lists at or before `until`, as far down as both windows reach
 */
export function prepareAuthorFeed(db: Db) {
  const selectPosts = new Map(
    Object.entries(POST_CONDITIONS).map(([filter, condition]) => [
      filter,
      db
        .prepare<[number, number, number], Columns>(
          `SELECT p.sort_at, p.id, iif(${condition}, p.cid, NULL) FROM posts p
          WHERE p.uid = +? AND p.state = 1 AND p.sort_at <= +? ORDER BY p.sort_at DESC LIMIT +?`,
        )
        .raw(),
    ]),
  )
  const selectReposts = db
    .prepare<[number, number, number], Columns>(
      `SELECT sort_at, id, cid FROM reposts
      WHERE uid = +? AND sort_at <= +? ORDER BY sort_at DESC LIMIT +?`,
    )
    .raw()

  return (
    { author, filter }: { author: number; filter: string },
    until: number,
    size: number,
  ): AuthorFeedWindow => {
    const known = selectPosts.has(filter) ? filter : 'posts_with_replies'
    const posts = selectPosts.get(known)!.all(author, until, size)
    const reposts = WITHOUT_REPOSTS.has(known) ? [] : selectReposts.all(author, until, size)
    const ends = [posts, reposts].filter((list) => list.length === size).map(endOf)
    const floor = Math.max(...ends.map((end) => end.floor), -Infinity)
    const isPartial = ends.some((end) => end.isPartial && end.floor === floor)
    const toRows = (columns: Columns[], toItem: (id: number) => number): AuthorFeedRow[] =>
      columns.flatMap(([sortAt, id, cid]) =>
        cid && sortAt >= floor ? { sortAt, cid: unpackCid(cid), tie: toItem(id) } : [],
      )
    return { rows: [...toRows(posts, postItem), ...toRows(reposts, repostItem)], floor, isPartial }
  }
}

/** Down to where a list that goes on is read; its last millisecond may go on, too. */
function endOf(list: readonly Columns[]): { floor: number; isPartial: boolean } {
  const [first, last] = [list[0]![0], list.at(-1)![0]]
  return first === last ? { floor: last, isPartial: true } : { floor: last + 1, isPartial: false }
}
