// What members are told of. The record that caused a notification names it, so what comes twice is
// written once, and what is deleted takes it along.
//
// At most MAX_KEPT stay for each member, the oldest go first. They are counted once in CHECK_EVERY
// insertions, which is less work than keeping a sum; so there may be that many more for a while.

import { type Collection, collectionCodes } from '../../base/atproto/collections.ts'
import type { PackedRkey } from '../../base/atproto/keys.ts'
import type { Db, WriteDb } from './db.ts'
import { type NotificationReason, reasonCodes } from './notification-reasons.ts'
import { type SubjectCollection, subjectCodes } from './notification-subjects.ts'
import { perDatabase } from './per-database.ts'

export const MAX_KEPT = 5_000
export const CHECK_EVERY = 500

export type NotificationRow = {
  uid: number
  sortAt: number
  reason: NotificationReason
  record: NotifyingRecord
  /** A record of the one who is told. */
  subject: { collection: SubjectCollection; rkey: PackedRkey } | undefined
}

export type NotifyingRecord = {
  author: number
  collection: Collection
  rkey: PackedRkey
  /** Undefined, with the JSON, for posts and profiles. */
  cid: Buffer | undefined
  json: Buffer | undefined
}

export type RecordKey = Pick<NotifyingRecord, 'author' | 'collection' | 'rkey'>

type Inserted = {
  uid: number
  sortAt: number
  reason: number
  author: number
  collection: number
  rkey: PackedRkey
  cid: Buffer | null
  json: Buffer | null
  subjectCollection: number | null
  subjectRkey: PackedRkey | null
}

const statements = perDatabase((db) => ({
  insert: db.prepare<[Inserted]>(
    `INSERT INTO notifications (uid, sort_at, reason, author, collection, rkey, cid, record,
        subject_collection, subject_rkey)
      VALUES (@uid, @sortAt, @reason, @author, @collection, @rkey, @cid, @json, @subjectCollection,
        @subjectRkey)
      ON CONFLICT DO NOTHING`,
  ),
  has: db
    .prepare<[number, number, PackedRkey, number], number>(
      'SELECT 1 FROM notifications WHERE author = ? AND collection = ? AND rkey = ? AND uid = ? LIMIT 1',
    )
    .pluck(),
  remove: db.prepare<[number, number, PackedRkey]>(
    'DELETE FROM notifications WHERE author = ? AND collection = ? AND rkey = ?',
  ),
  removeAll: db.prepare<[number]>('DELETE FROM notifications WHERE author = ?'),
  count: db.prepare<[number], number>('SELECT count(*) FROM notifications WHERE uid = ?').pluck(),
  removeOldest: db.prepare<[number, number]>(
    `DELETE FROM notifications WHERE id IN
      (SELECT id FROM notifications WHERE uid = +? ORDER BY sort_at, id LIMIT +?)`,
  ),
}))

/** Insertions since they were last counted, by member. */
const uncounted = perDatabase(() => new Map<number, number>())

export function insertNotification(db: WriteDb, row: NotificationRow): void {
  const { uid, sortAt, reason, record, subject } = row
  const { changes } = statements(db).insert.run({
    uid,
    sortAt,
    reason: reasonCodes[reason],
    author: record.author,
    collection: collectionCodes[record.collection],
    rkey: record.rkey,
    cid: record.cid ?? null,
    json: record.json ?? null,
    subjectCollection: subject ? subjectCodes[subject.collection] : null,
    subjectRkey: subject?.rkey ?? null,
  })
  if (changes > 0) pruneWhereDue(db, uid)
}

/** Whether this record has told this account of anything yet. */
export function hasNotified(db: Db, record: RecordKey, uid: number): boolean {
  const collection = collectionCodes[record.collection]
  return statements(db).has.get(record.author, collection, record.rkey, uid) !== undefined
}

/** @returns whether there were any. */
export function deleteNotificationsOf(db: WriteDb, record: RecordKey): boolean {
  const collection = collectionCodes[record.collection]
  return statements(db).remove.run(record.author, collection, record.rkey).changes > 0
}

/** Everything that this account's records have caused. */
export function deleteNotificationsBy(db: WriteDb, author: number): void {
  statements(db).removeAll.run(author)
}

function pruneWhereDue(db: WriteDb, uid: number): void {
  const known = uncounted(db)
  const since = (known.get(uid) ?? CHECK_EVERY) + 1
  known.set(uid, since <= CHECK_EVERY ? since : 0)
  if (since <= CHECK_EVERY) return
  const excess = statements(db).count.get(uid)! - MAX_KEPT
  if (excess > 0) statements(db).removeOldest.run(uid, excess)
}
