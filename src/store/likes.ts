// app.bsky.feed.like, for posts. Several by one account on one post are one as a count.

import type { Db } from './db.ts'
import type { PackedRkey } from './keys.ts'
import { perDatabase } from './per-database.ts'

export type LikeRow = {
  uid: number
  rkey: PackedRkey
  subject: number
  created_at: number
  /** indexed_at - created_at. */
  lag: number
}

type Found = { subject: number; created_at: number }

const statements = perDatabase((db) => ({
  find: db.prepare<[number, PackedRkey], Found>(
    'SELECT subject, created_at FROM likes WHERE uid = ? AND rkey = ?',
  ),
  insert: db.prepare<[number, PackedRkey, number, number, number]>(
    'INSERT INTO likes (uid, rkey, subject, created_at, lag) VALUES (?, ?, ?, ?, ?)',
  ),
  remove: db.prepare<[number, PackedRkey]>('DELETE FROM likes WHERE uid = ? AND rkey = ?'),
  exists: db
    .prepare<[number, number], number>('SELECT 1 FROM likes WHERE subject = ? AND uid = ? LIMIT 1')
    .pluck(),
  subjects: db
    .prepare<[number], number>('SELECT DISTINCT subject FROM likes WHERE uid = ?')
    .pluck(),
  removeAll: db.prepare<[number]>('DELETE FROM likes WHERE uid = ?'),
}))

export function findLike(db: Db, uid: number, rkey: PackedRkey): Found | undefined {
  return statements(db).find.get(uid, rkey)
}

export function insertLike(db: Db, row: LikeRow): void {
  statements(db).insert.run(row.uid, row.rkey, row.subject, row.created_at, row.lag)
}

export function deleteLike(db: Db, uid: number, rkey: PackedRkey): void {
  statements(db).remove.run(uid, rkey)
}

export function hasLiked(db: Db, uid: number, subject: number): boolean {
  return statements(db).exists.get(subject, uid) !== undefined
}

/** Posts that this account likes, each once. */
export function likedBy(db: Db, uid: number): number[] {
  return statements(db).subjects.all(uid)
}

export function deleteLikesOf(db: Db, uid: number): void {
  statements(db).removeAll.run(uid)
}
