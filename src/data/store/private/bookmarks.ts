// Bookmarked posts per member: private state, which is in no repository. Only a post's bookmark count is
// public.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { idList } from '../read/id-list.ts'
import { invalidationsOf } from '../transact.ts'

type Bookmark = {
  uid: number
  post: number
  /** As the member sent it. */
  cid: string
  /** Milliseconds since 1970. */
  createdAt: number
}

/** `uid` and `rkey` name the post. */
export type PositionedBookmark = Bookmark & { rkey: PackedRkey }

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  insert: db.prepare<[Bookmark]>(
    'INSERT OR IGNORE INTO bookmarks (uid, post, cid, created_at) VALUES (@uid, @post, @cid, @createdAt)',
  ),
  remove: db.prepare<[number, number]>('DELETE FROM bookmarks WHERE uid = ? AND post = ?'),
  add: db.prepare<[number, number]>(
    `INSERT INTO post_counts (post, bookmarks) VALUES (?, ?)
      ON CONFLICT (post) DO UPDATE SET bookmarks = bookmarks + excluded.bookmarks`,
  ),
  of: db.prepare<[number], Omit<Bookmark, 'uid'>>(
    'SELECT post, cid, created_at AS createdAt FROM bookmarks WHERE uid = ? ORDER BY created_at, post',
  ),
  before: db.prepare<[number, number, number, number], PositionedBookmark>(
    `SELECT b.post, p.uid, p.rkey, b.cid, b.created_at AS createdAt
      FROM bookmarks b CROSS JOIN posts p ON p.id = b.post
      WHERE b.uid = +? AND (b.created_at, b.post) < (+?, +?)
      ORDER BY b.created_at DESC, b.post DESC LIMIT +?`,
  ),
  among: db.prepare<[string, number], Omit<Bookmark, 'uid'>>(
    `SELECT b.post, b.cid, b.created_at AS createdAt FROM json_each(?) ids
      CROSS JOIN bookmarks b ON b.uid = ? AND b.post = ids.value`,
  ),
  countOf: db.prepare<[number], number>('SELECT count(*) FROM bookmarks WHERE uid = ?').pluck(),
}))

/** An existing bookmark stays unchanged. */
export function insertBookmark(db: WriteDb, bookmark: Bookmark): void {
  const { changes } = statements(db).insert.run(bookmark)
  if (changes > 0) count(db, bookmark, 1)
}

export function deleteBookmark(db: WriteDb, uid: number, post: number): void {
  const { changes } = statements(db).remove.run(uid, post)
  if (changes > 0) count(db, { uid, post }, -1)
}

/** Oldest first. */
export function bookmarksOf(db: Db, uid: number): Omit<Bookmark, 'uid'>[] {
  return statements(db).of.all(uid)
}

/** Bookmarks below this place, newest first. */
export function bookmarksBefore(
  db: Db,
  uid: number,
  { createdAt, post, limit }: { createdAt: number; post: number; limit: number },
): PositionedBookmark[] {
  return statements(db).before.all(uid, createdAt, post, limit)
}

/** The member's bookmarks among these posts. */
export function bookmarksAmong(
  db: Db,
  uid: number,
  posts: Iterable<number>,
): Omit<Bookmark, 'uid'>[] {
  return statements(db).among.all(idList(posts), uid)
}

export function countBookmarks(db: Db, uid: number): number {
  return statements(db).countOf.get(uid) ?? 0
}

function count(db: WriteDb, { uid, post }: Pick<Bookmark, 'uid' | 'post'>, more: 1 | -1): void {
  const { add, invalidations } = statements(db)
  add.run(post, more)
  invalidations.add(INVALIDATION.counts, post)
  invalidations.add(INVALIDATION.reaction, uid, post)
}
