// References to a post, queried from the post's side: replies, quotes, reposts, likes, bookmarks and muted
// threads.

import type { Db } from '../db.ts'
import { likeEdges } from '../edges/all-edges.ts'
import { NEWEST } from '../edges/subject-lists.ts'
import { perDatabase } from '../per-database.ts'
import { ANCHOR } from './post-flags.ts'

/**
 * Rows examined per kind; a caller that finds this many assumes that the rest are of every sort.
 */
export const MAX_LOOKED_AT = 2_000

/** Index in `creators`. */
const REPOSTS = 3

const FAR_ROOT = 'root = +? AND root IS NOT NULL AND root <> parent'

const creators = (db: Db, table: string, condition: string) =>
  db
    .prepare<[number], number>(`SELECT uid FROM ${table} WHERE ${condition} LIMIT ${MAX_LOOKED_AT}`)
    .pluck()

const below = (db: Db, condition: string) =>
  db
    .prepare<[number, number, number], number>(
      `SELECT id FROM posts WHERE ${condition} AND id > +? ORDER BY id LIMIT +?`,
    )
    .pluck()

const statements = perDatabase((db) => ({
  creators: [
    creators(db, 'posts', 'parent = +?'),
    creators(db, 'posts', 'quote = +?'),
    creators(db, 'posts', FAR_ROOT),
    creators(db, 'reposts', 'subject = +?'),
  ],
  visibleBelow: db
    .prepare<[{ post: number }], number>(
      `SELECT EXISTS (SELECT 1 FROM posts WHERE parent = @post AND state = 1 AND flags & ${ANCHOR})
        OR EXISTS (SELECT 1 FROM posts WHERE quote = @post AND state = 1 AND flags & ${ANCHOR})`,
    )
    .pluck(),
  any: db
    .prepare<[{ post: number }], number>(
      `SELECT EXISTS (SELECT 1 FROM posts WHERE parent = @post)
        OR EXISTS (SELECT 1 FROM posts WHERE quote = @post)
        OR EXISTS (SELECT 1 FROM posts WHERE root = @post AND root IS NOT NULL AND root <> parent)
        OR EXISTS (SELECT 1 FROM reposts WHERE subject = @post)
        OR EXISTS (SELECT 1 FROM thread_mutes WHERE root = @post)`,
    )
    .pluck(),
  isBookmarked: db
    .prepare<[number], number>('SELECT bookmarks > 0 FROM post_counts WHERE post = ?')
    .pluck(),
  below: [below(db, 'parent = +?'), below(db, 'quote = +?'), below(db, FAR_ROOT)],
}))

/** Accounts that replied to, quoted or reposted the post, by kind; at most MAX_LOOKED_AT each. */
export function* creatorsPointingAt(db: Db, post: number): Generator<number[]> {
  for (const statement of statements(db).creators) yield statement.all(post)
}

/** Accounts that reposted it; only some if there are many. */
export function repostersOf(db: Db, post: number): number[] {
  return statements(db).creators[REPOSTS]!.all(post)
}

/** Accounts whose likes are among the newest MAX_LOOKED_AT. */
export function likersOf(db: Db, post: number): number[] {
  return likeEdges.newest(db, post, NEWEST, MAX_LOOKED_AT).map(({ uid }) => uid)
}

export function isBookmarked(db: Db, post: number): boolean {
  return statements(db).isBookmarked.get(post) === 1
}

/** Whether it is shown above, or within, a post that an author wrote or points at. */
export function isVisibleWithAnother(db: Db, post: number): boolean {
  return statements(db).visibleBelow.get({ post }) === 1
}

export function isPointedAt(db: Db, post: number): boolean {
  return (
    statements(db).any.get({ post }) === 1 ||
    isBookmarked(db, post) ||
    likeEdges.isPointedAt(db, post)
  )
}

/** Kinds of references for `postsPointingAt`: replies, quotes, deeper replies. */
export const WAYS_TO_POINT = 3

/** posts.id above `after`, ascending. `way` is 0 to 2. */
export function postsPointingAt(
  db: Db,
  way: number,
  { post, after, limit }: { post: number; after: number; limit: number },
): number[] {
  return statements(db).below[way]!.all(post, after, limit)
}
