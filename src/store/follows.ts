// app.bsky.graph.follow. Several records for one pair of accounts are one edge of the graph.

import type { Db } from './db.ts'
import type { PackedRkey } from './keys.ts'
import { perDatabase } from './per-database.ts'

export type FollowRow = { uid: number; rkey: PackedRkey; subject: number; sort_at: number }

type Found = { subject: number; sort_at: number }

const statements = perDatabase((db) => ({
  find: db.prepare<[number, PackedRkey], Found>(
    'SELECT subject, sort_at FROM follows WHERE uid = ? AND rkey = ?',
  ),
  insert: db.prepare<[number, PackedRkey, number, number]>(
    'INSERT INTO follows (uid, rkey, subject, sort_at) VALUES (?, ?, ?, ?)',
  ),
  remove: db.prepare<[number, PackedRkey]>('DELETE FROM follows WHERE uid = ? AND rkey = ?'),
  exists: db
    .prepare<[number, number], number>(
      'SELECT 1 FROM follows WHERE uid = ? AND subject = ? LIMIT 1',
    )
    .pluck(),
  subjects: db
    .prepare<[number], number>(
      'SELECT DISTINCT subject FROM follows WHERE uid = ? ORDER BY subject',
    )
    .pluck(),
  removeAll: db.prepare<[number]>('DELETE FROM follows WHERE uid = ?'),
  pairs: db.prepare<[], [number, number]>('SELECT uid, subject FROM follows ORDER BY uid').raw(),
}))

export function findFollow(db: Db, uid: number, rkey: PackedRkey): Found | undefined {
  return statements(db).find.get(uid, rkey)
}

export function insertFollow(db: Db, row: FollowRow): void {
  statements(db).insert.run(row.uid, row.rkey, row.subject, row.sort_at)
}

export function deleteFollow(db: Db, uid: number, rkey: PackedRkey): void {
  statements(db).remove.run(uid, rkey)
}

export function isFollowing(db: Db, uid: number, subject: number): boolean {
  return statements(db).exists.get(uid, subject) !== undefined
}

/** Whom this account follows, each once, ascending. */
export function followedBy(db: Db, uid: number): number[] {
  return statements(db).subjects.all(uid)
}

export function deleteFollowsOf(db: Db, uid: number): void {
  statements(db).removeAll.run(uid)
}

/** Pairs of creator and subject, a pair as often as it has records. The connection is busy meanwhile. */
export function iterateFollows(db: Db): IterableIterator<[number, number]> {
  return statements(db).pairs.iterate()
}
