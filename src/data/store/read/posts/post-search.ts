// Reads the index of post words, newest first. A place in it is a period and a posts.id, see
// search/post-index.ts.

import { matchIn, type PostMatch } from '../../search/post-query.ts'
import { type Db, idList } from '../id-list.ts'

export type PostPosition = { id: number; period: number }

export type FoundPost = {
  id: number
  uid: number
  sortAt: number
  cid: Buffer
  likes: number
  reposts: number
  replies: number
  quotes: number
}

/** From the first place (inclusive) to below the second. */
export type PositionRange = { from: PostPosition; below: PostPosition }

/**
 * A stretch of the index, from period `first` to the next one (search/stretches.ts). While it is
 * filled, some of its posts are still indexed in `movedFrom`.
 */
export type Stretch = { first: number; id: number; movedFrom: number | null }

type StretchPart = { stretch: Stretch; range: PositionRange; limit: number }

export type PostSearch = ReturnType<typeof preparePostSearch>

const IN_RANGE = `post_words MATCH ? AND rowid >= ((CAST(? AS INTEGER) << 31) | CAST(? AS INTEGER))
  AND rowid < ((CAST(? AS INTEGER) << 31) | CAST(? AS INTEGER))`

export function preparePostSearch(db: Db) {
  type Args = [string, number, number, number, number, number]
  const positions = db.prepare<Args, PostPosition>(
    `SELECT rowid & 2147483647 AS id, rowid >> 31 AS period FROM post_words
      WHERE ${IN_RANGE} ORDER BY rowid DESC LIMIT ?`,
  )
  const count = db
    .prepare<Args, number>(
      `SELECT count(*) FROM (SELECT 1 FROM post_words WHERE ${IN_RANGE} LIMIT ?)`,
    )
    .pluck()
  const posts = db.prepare<[string], FoundPost>(
    `SELECT p.id, p.uid, p.sort_at AS sortAt, p.cid, coalesce(c.likes, 0) AS likes,
      coalesce(c.reposts, 0) AS reposts, coalesce(c.replies, 0) AS replies,
      coalesce(c.quotes, 0) AS quotes
      FROM json_each(?) ids CROSS JOIN posts p ON p.id = ids.value AND p.state = 1
      LEFT JOIN post_counts c ON c.post = p.id`,
  )
  const ends = db
    .prepare<[], [oldest: number | null, newest: number | null]>(
      `SELECT (SELECT min(id) >> 31 FROM post_words_docsize),
        (SELECT max(id) >> 31 FROM post_words_docsize)`,
    )
    .raw()
  const stretchAt = db.prepare<[number], Stretch>(
    `SELECT first, id, moved_from AS movedFrom FROM post_stretches
      WHERE first <= ? ORDER BY first DESC LIMIT 1`,
  )
  const args = (match: string, { from, below }: PositionRange, limit: number): Args => [
    match,
    from.period,
    from.id,
    below.period,
    below.id,
    limit,
  ]
  return {
    /** Matches in one stretch, newest first; the range lies within the stretch. */
    positions: (match: PostMatch, { stretch, range, limit }: StretchPart): PostPosition[] =>
      positions.all(...args(matchIn(idsOf(stretch), match), range, limit)),
    /** Number of matches in one stretch, up to `limit`. */
    count: (match: PostMatch, { stretch, range, limit }: StretchPart): number =>
      count.get(...args(matchIn(idsOf(stretch), match), range, limit)) ?? 0,
    /** The stretch with this period. */
    stretchAt: (period: number): Stretch => stretchAt.get(period)!,
    /** The first and last period indexed; undefined if the index is empty. */
    ends(): { oldest: number; newest: number } | undefined {
      const [oldest, newest] = ends.get() as unknown as [number | null, number | null]
      return oldest === null || newest === null ? undefined : { oldest, newest }
    },
    /** Posts with a record, in arbitrary order. */
    posts: (ids: readonly number[]): FoundPost[] => posts.all(idList(ids)),
  }
}

function idsOf({ id, movedFrom }: Stretch): number[] {
  return movedFrom === null ? [id] : [id, movedFrom]
}
