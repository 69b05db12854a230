// app.bsky.feed.like, for feed generators, labelers and starter packs. Several likes by one account on one
// record count once.

import { collectionCodes } from '../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { deleteActArrival } from '../timelines/act-arrivals.ts'
import { deleteReactionRecord } from './reaction-records.ts'

const LIKE = 'app.bsky.feed.like'

export type RecordLike = {
  uid: number
  rkey: PackedRkey
  /** records.id */
  subject: number
  createdAt: number
}

const statements = perDatabase((db) => ({
  find: db.prepare<[number, PackedRkey], RecordLike>(
    'SELECT uid, rkey, subject, created_at AS createdAt FROM record_likes WHERE uid = ? AND rkey = ?',
  ),
  insert: db.prepare<[RecordLike]>(
    'INSERT INTO record_likes (uid, rkey, subject, created_at) VALUES (@uid, @rkey, @subject, @createdAt)',
  ),
  remove: db.prepare<[number, PackedRkey]>('DELETE FROM record_likes WHERE uid = ? AND rkey = ?'),
  add: db.prepare<[number, number]>('UPDATE records SET likes = likes + ? WHERE id = ?'),
  has: db
    .prepare<[number, number], number>(
      'SELECT 1 FROM record_likes WHERE subject = ? AND uid = ? LIMIT 1',
    )
    .pluck(),
  of: db
    .prepare<[number], number>('SELECT DISTINCT subject FROM record_likes WHERE uid = ?')
    .pluck(),
  removeAll: db.prepare<[number]>('DELETE FROM record_likes WHERE uid = ?'),
}))

export function findRecordLike(db: Db, uid: number, rkey: PackedRkey): RecordLike | undefined {
  return statements(db).find.get(uid, rkey)
}

/**
 * Its key must be free.
 * @returns whether the account had no like of the record
 */
export function insertRecordLike(db: WriteDb, like: RecordLike): boolean {
  const { insert, has, add } = statements(db)
  const isFirst = has.get(like.subject, like.uid) === undefined
  insert.run(like)
  if (isFirst) add.run(1, like.subject)
  return isFirst
}

export function deleteRecordLike(db: WriteDb, { uid, rkey, subject }: RecordLike): void {
  const { remove, has, add } = statements(db)
  remove.run(uid, rkey)
  deleteReactionRecord(db, { uid, collection: LIKE, rkey })
  deleteActArrival(db, { uid, collection: collectionCodes[LIKE], rkey })
  if (has.get(subject, uid) === undefined) add.run(-1, subject)
}

export function deleteRecordLikesOf(db: WriteDb, uid: number): void {
  const { of, removeAll, add } = statements(db)
  const liked = of.all(uid)
  removeAll.run(uid)
  for (const subject of liked) add.run(-1, subject)
}
