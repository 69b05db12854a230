// Which posts a member has bookmarked: private state, which lives in no repository. How often a post
// is, anybody may know.

import { NOTE } from '../shared-memory/note-kinds.ts'
import type { Db } from './db.ts'
import { notesOf } from './notes.ts'
import { perDatabase } from './per-database.ts'

export type Bookmark = {
  uid: number
  post: number
  /** As the member gave it. */
  cid: string
  /** Milliseconds since 1970. */
  createdAt: number
}

const statements = perDatabase((db) => ({
  notes: notesOf(db),
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
  countOf: db.prepare<[number], number>('SELECT count(*) FROM bookmarks WHERE uid = ?').pluck(),
}))

/** What was there before stays as it was. */
export function insertBookmark(db: Db, bookmark: Bookmark): void {
  const { changes } = statements(db).insert.run(bookmark)
  if (changes > 0) count(db, bookmark, 1)
}

export function deleteBookmark(db: Db, uid: number, post: number): void {
  const { changes } = statements(db).remove.run(uid, post)
  if (changes > 0) count(db, { uid, post }, -1)
}

/** Oldest first. */
export function bookmarksOf(db: Db, uid: number): Omit<Bookmark, 'uid'>[] {
  return statements(db).of.all(uid)
}

export function countBookmarks(db: Db, uid: number): number {
  return statements(db).countOf.get(uid) ?? 0
}

function count(db: Db, { uid, post }: Pick<Bookmark, 'uid' | 'post'>, more: 1 | -1): void {
  const { add, notes } = statements(db)
  add.run(post, more)
  notes.add(NOTE.counts, post)
  notes.add(NOTE.opinion, uid, post)
}
