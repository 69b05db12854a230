// app.bsky.feed.repost. Each row is a separate feed item; several by one account on one post count once.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase, returning } from '../per-database.ts'
import { numberArrival } from '../timelines/arrivals.ts'
import { repostItem } from '../timelines/item-ids.ts'
import { invalidationsOf } from '../transact.ts'
import { deleteReactionRecord, deleteReactionRecordsOf } from './reaction-records.ts'

const REPOST = 'app.bsky.feed.repost'

export type RepostRow = {
  id: number
  uid: number
  rkey: PackedRkey
  subject: number
  cid: Buffer
  created_at: number
  indexed_at: number
  sort_at: number
}

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  find: db.prepare<[number, PackedRkey], RepostRow>(
    'SELECT id, uid, rkey, subject, cid, created_at, indexed_at, sort_at FROM reposts WHERE uid = ? AND rkey = ?',
  ),
  insert: db.prepare<[Omit<RepostRow, 'id'>]>(
    `INSERT INTO reposts (uid, rkey, subject, cid, created_at, indexed_at, sort_at)
      VALUES (@uid, @rkey, @subject, @cid, @created_at, @indexed_at, @sort_at)`,
  ),
  remove: db.prepare<[number]>('DELETE FROM reposts WHERE id = ?'),
  exists: db
    .prepare<[number, number], number>(
      'SELECT 1 FROM reposts WHERE subject = ? AND uid = ? LIMIT 1',
    )
    .pluck(),
  subjects: db
    .prepare<[number], number>('SELECT DISTINCT subject FROM reposts WHERE uid = ?')
    .pluck(),
  removeAll: returning(
    db.prepare<[number], number>('DELETE FROM reposts WHERE uid = ? RETURNING id').pluck(),
  ),
}))

export function findRepost(db: Db, uid: number, rkey: PackedRkey): RepostRow | undefined {
  return statements(db).find.get(uid, rkey)
}

/** @returns the new row's id */
export function insertRepost(db: WriteDb, row: Omit<RepostRow, 'id'>): number {
  const { insert, invalidations } = statements(db)
  const id = Number(insert.run(row).lastInsertRowid)
  numberArrival(db, { uid: row.uid, item: repostItem(id) })
  invalidations.add(INVALIDATION.repost, id)
  invalidations.add(INVALIDATION.reaction, row.uid, row.subject)
  invalidations.add(INVALIDATION.feed, row.uid)
  return id
}

export function deleteRepost(
  db: WriteDb,
  { id, uid, rkey, subject }: Pick<RepostRow, 'id' | 'uid' | 'rkey' | 'subject'>,
): void {
  const { remove, invalidations } = statements(db)
  remove.run(id)
  deleteReactionRecord(db, { uid, collection: REPOST, rkey })
  invalidations.add(INVALIDATION.repost, id)
  invalidations.add(INVALIDATION.reaction, uid, subject)
  invalidations.add(INVALIDATION.feed, uid)
}

export function hasReposted(db: Db, uid: number, subject: number): boolean {
  return statements(db).exists.get(subject, uid) !== undefined
}

/** Distinct posts that this account has reposted. */
export function repostedBy(db: Db, uid: number): number[] {
  return statements(db).subjects.all(uid)
}

export function deleteRepostsOf(db: WriteDb, uid: number): void {
  const { removeAll, invalidations } = statements(db)
  for (const id of removeAll.all(uid)) invalidations.add(INVALIDATION.repost, id)
  deleteReactionRecordsOf(db, uid, REPOST)
  invalidations.add(INVALIDATION.reactions, uid)
  invalidations.add(INVALIDATION.feed, uid)
}
