// Notifications of members, and of others if the operator wants them. The key includes the record that caused
// it, so a repeated event is stored once, and deleting the record deletes it. Each account keeps at most
// MAX_STORED, evicting the oldest. They are counted once per a number of insertions, which is less work than a
// running sum, so there may be that many more for a while. Notifications of others are also pruned by age, in
// order of arrival.

import { type Collection, collectionCodes } from '../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../db.ts'
import { findMeta, putMeta, removeMeta } from '../meta-values.ts'
import { perDatabase } from '../per-database.ts'
import { arrivalTime } from '../timelines/arrivals.ts'
import { type NotificationReason, reasonCodes } from './notification-reasons.ts'
import { type SubjectCollection, subjectCodes } from './notification-subjects.ts'

const MAX_STORED = 5_000
const CHECK_EVERY = 500
/** For non-members, who are too many to remember when each was last counted. */
const MAX_CACHED_OF_OTHERS = 2_000
const CHECK_OTHERS_EVERY = 64
const REACHED = 'notifications.reached'

export type NotificationRow = {
  uid: number
  sortAt: number
  reason: NotificationReason
  record: NotifyingRecord
  /** A record of the recipient. */
  subject: { collection: SubjectCollection; rkey: PackedRkey } | undefined
}

export type NotifyingRecord = {
  author: number
  collection: Collection
  rkey: PackedRkey
  /** Undefined, like the JSON, for posts and profiles. */
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
  arrivedAt: number
}

/**
 * Notifications stored without their record have no CID, but neither have posts and profiles, which
 * are read from their own tables.
 */
const READ_ELSEWHERE = [
  collectionCodes['app.bsky.feed.post'],
  collectionCodes['app.bsky.actor.profile'],
].join()

const statements = perDatabase((db) => ({
  insert: db.prepare<[Inserted]>(
    `INSERT INTO notifications (uid, sort_at, reason, author, collection, rkey, cid, record,
        subject_collection, subject_rkey, arrived_at)
      VALUES (@uid, @sortAt, @reason, @author, @collection, @rkey, @cid, @json, @subjectCollection,
        @subjectRkey, @arrivedAt)
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
  removeUnwritten: db.prepare<[number]>(
    `DELETE FROM notifications WHERE uid = ? AND cid IS NULL AND collection NOT IN (${READ_ELSEWHERE})`,
  ),
  from: db.prepare<[number, number], ArrivedNotification>(
    'SELECT id, uid, sort_at AS sortAt FROM notifications WHERE id > ? ORDER BY id LIMIT ?',
  ),
  count: db.prepare<[number], number>('SELECT count(*) FROM notifications WHERE uid = ?').pluck(),
  removeOldest: db.prepare<[number, number]>(
    `DELETE FROM notifications WHERE id IN
      (SELECT id FROM notifications WHERE uid = +? ORDER BY sort_at, id LIMIT +?)`,
  ),
}))

/** Insertions since the last count, by member. */
const uncounted = perDatabase(() => new Map<number, number>())

/** @param isOneOfMany - the recipient is not a member */
export function insertNotification(
  db: WriteDb,
  row: NotificationRow,
  isOneOfMany: boolean = false,
): void {
  const { uid, sortAt, reason, record, subject } = row
  const { changes, lastInsertRowid } = statements(db).insert.run({
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
    arrivedAt: arrivalTime(db),
  })
  if (changes === 0) return
  if (!isOneOfMany) pruneWhereDue(db, uid)
  else if (Number(lastInsertRowid) % CHECK_OTHERS_EVERY === 0) prune(db, uid, MAX_CACHED_OF_OTHERS)
}

/** Whether this record has caused a notification for this account. */
export function hasNotified(db: Db, record: RecordKey, uid: number): boolean {
  const collection = collectionCodes[record.collection]
  return statements(db).has.get(record.author, collection, record.rkey, uid) !== undefined
}

/** @returns whether there were any */
export function deleteNotificationsOf(db: WriteDb, record: RecordKey): boolean {
  const collection = collectionCodes[record.collection]
  return statements(db).remove.run(record.author, collection, record.rkey).changes > 0
}

/** Deletes all notifications caused by this account's records. */
export function deleteNotificationsBy(db: WriteDb, author: number): void {
  statements(db).removeAll.run(author)
}

/** Deletes notifications about likes, reposts and follows from before the account was a member. */
export function deleteUnwritten(db: WriteDb, uid: number): void {
  statements(db).removeUnwritten.run(uid)
}

type ArrivedNotification = { id: number; uid: number; sortAt: number }

/** In order of arrival. */
export function notificationsFrom(db: Db, id: number, limit: number): ArrivedNotification[] {
  return statements(db).from.all(id, limit)
}

/**
 * notifications.id up to which others' notifications were checked for age; undefined if there never
 * were any.
 */
export function agingReached(db: Db): number | undefined {
  return findMeta<number>(db, REACHED)
}

export function setAgingReached(db: WriteDb, id: number | undefined): void {
  if (id === undefined) removeMeta(db, REACHED)
  else putMeta(db, REACHED, id)
}

function pruneWhereDue(db: WriteDb, uid: number): void {
  const known = uncounted(db)
  const since = (known.get(uid) ?? CHECK_EVERY) + 1
  known.set(uid, since <= CHECK_EVERY ? since : 0)
  if (since <= CHECK_EVERY) return
  prune(db, uid, MAX_STORED)
}

function prune(db: WriteDb, uid: number, max: number): void {
  const excess = statements(db).count.get(uid)! - max
  if (excess > 0) statements(db).removeOldest.run(uid, excess)
}
