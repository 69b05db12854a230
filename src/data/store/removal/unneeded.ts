// Whether other rows refer to lists, records and accounts; and the removal of rows that only a former author
// needed.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { blockEdges, followEdges, likeEdges } from '../edges/all-edges.ts'
import { perDatabase } from '../per-database.ts'
import { DELETED } from '../posts/posts.ts'
import { columnsNaming, type RecordTable, recordTables } from '../records/record-tables.ts'
import { invalidationsOf } from '../transact.ts'

const MAX_LOOKED_AT = 1_000

type ListBlockKey = { rkey: PackedRkey; list: number; owner: number }
type ListKey = { id: number; rkey: PackedRkey; people: number }
type RecordLikeKey = { rkey: PackedRkey; subject: number; owner: number; isHere: number }

const page = <T>(db: Db, sql: string) =>
  db.prepare<[number, PackedRkey, number], T>(`${sql} ORDER BY t.rkey LIMIT +?`)

const uids = (db: Db, sql: string) =>
  db.prepare<[number], number>(`${sql} LIMIT ${MAX_LOOKED_AT}`).pluck()

/** Records by the account, and those that name it. */
const IN_RECORDS = (Object.keys(recordTables) as RecordTable[])
  .flatMap((table) =>
    ['uid', ...columnsNaming(table, 'account')].map((column) => ({ table, column })),
  )
  .map(({ table, column }) => `OR EXISTS (SELECT 1 FROM ${table} WHERE ${column} = @uid)`)
  .join('\n')

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  listBlocks: page<ListBlockKey>(
    db,
    `SELECT t.rkey, t.list, l.uid AS owner FROM list_blocks t JOIN lists l ON l.id = t.list
      WHERE t.uid = +? AND t.rkey > +?`,
  ),
  lists: page<ListKey>(db, 'SELECT id, rkey, people FROM lists t WHERE uid = +? AND rkey > +?'),
  recordLikes: page<RecordLikeKey>(
    db,
    `SELECT t.rkey, t.subject, r.uid AS owner, r.cid IS NOT NULL AS isHere
      FROM record_likes t JOIN records r ON r.id = t.subject WHERE t.uid = +? AND t.rkey > +?`,
  ),
  isMutedList: db.prepare<[number], number>('SELECT 1 FROM list_mutes WHERE list = ?').pluck(),
  hasMembers: db
    .prepare<[number], number>(
      'SELECT 1 FROM list_items CROSS JOIN members ON members.uid = subject WHERE list = ? LIMIT 1',
    )
    .pluck(),
  blockers: uids(db, 'SELECT uid FROM list_blocks WHERE list = ?'),
  hasGates: db
    .prepare<[number], number>(
      'SELECT 1 FROM posts CROSS JOIN threadgates ON post = posts.id WHERE uid = ? LIMIT 1',
    )
    .pluck(),
  itemsAbout: uids(db, 'SELECT DISTINCT uid FROM list_items WHERE subject = ?'),
  recordLikers: uids(db, 'SELECT uid FROM record_likes WHERE subject = ?'),
  likersOfAll: uids(
    db,
    `SELECT DISTINCT l.uid FROM records r CROSS JOIN record_likes l ON l.subject = r.id
      WHERE r.uid = ?`,
  ),
  dropList: db.prepare<[number]>('DELETE FROM lists WHERE id = ?'),
  job: db.prepare<[string, number]>('DELETE FROM jobs WHERE kind = ? AND subject = ?'),
  recordJobs: db.prepare<[number]>(
    "DELETE FROM jobs WHERE kind = 'record' AND subject IN (SELECT id FROM records WHERE uid = ?)",
  ),
  dropRecord: db.prepare<[number]>('DELETE FROM records WHERE id = ?'),
  dropRecordLikes: db.prepare<[number]>(
    'DELETE FROM record_likes WHERE subject IN (SELECT id FROM records WHERE uid = ?)',
  ),
  dropRecords: db.prepare<[number]>('DELETE FROM records WHERE uid = ?'),
  isReferenced: db
    .prepare<[{ uid: number }], number>(
      `SELECT EXISTS (SELECT 1 FROM posts WHERE uid = @uid AND state <> ${DELETED})
        OR EXISTS (SELECT 1 FROM members WHERE uid = @uid)
        ${IN_RECORDS}
        OR EXISTS (SELECT 1 FROM records WHERE subject = @uid)
        OR EXISTS (SELECT 1 FROM associated_records WHERE uid = @uid)
        OR EXISTS (SELECT 1 FROM mutes WHERE subject = @uid)
        OR EXISTS (SELECT 1 FROM activity_subscriptions WHERE subject = @uid)
        OR EXISTS (SELECT 1 FROM notifications WHERE author = @uid)
        OR EXISTS (SELECT 1 FROM labelers WHERE uid = @uid)`,
    )
    .pluck(),
}))

type Page = { after: PackedRkey; limit: number }

/** List blocks by an account, ascending by record key, like the other pages here. */
export function listBlocksBy(db: Db, uid: number, { after, limit }: Page): ListBlockKey[] {
  return statements(db).listBlocks.all(uid, after, limit)
}

export function listsBy(db: Db, uid: number, { after, limit }: Page): ListKey[] {
  return statements(db).lists.all(uid, after, limit)
}

export function recordLikesBy(db: Db, uid: number, { after, limit }: Page): RecordLikeKey[] {
  return statements(db).recordLikes.all(uid, after, limit)
}

export function isMutedList(db: Db, list: number): boolean {
  return statements(db).isMutedList.get(list) !== undefined
}

/** Whether a member is on the list. */
export function hasMembersOn(db: Db, list: number): boolean {
  return statements(db).hasMembers.get(list) !== undefined
}

/** Accounts that block everyone on it; only some if there are many. */
export function blockersByList(db: Db, list: number): number[] {
  return statements(db).blockers.all(list)
}

/** Whether one of the account's posts limits who may reply, possibly by lists. */
export function hasThreadgates(db: Db, uid: number): boolean {
  return statements(db).hasGates.get(uid) !== undefined
}

/** Accounts with a list that this account is on. */
export function listersOf(db: Db, uid: number): number[] {
  return statements(db).itemsAbout.all(uid)
}

/** Likers of one record; the function below covers all records of an account. */
export function recordLikers(db: Db, record: number): number[] {
  return statements(db).recordLikers.all(record)
}

export function likersOfRecordsBy(db: Db, uid: number): number[] {
  return statements(db).likersOfAll.all(uid)
}

/** Drops a list without members. */
export function dropList(db: WriteDb, list: number, uid: number): void {
  const { dropList: remove, job, invalidations } = statements(db)
  remove.run(list)
  job.run('list', list)
  invalidations.add(INVALIDATION.list, list)
  invalidations.add(INVALIDATION.actorCounts, uid)
}

/** Drops a record that is missing and has no likes. */
export function dropRecord(db: WriteDb, record: number): void {
  statements(db).dropRecord.run(record)
  statements(db).job.run('record', record)
}

/** Drops an account's records, already emptied, and the remaining likes of them. */
export function dropRecordsOf(db: WriteDb, uid: number): void {
  const { dropRecordLikes, dropRecords, recordJobs, invalidations } = statements(db)
  dropRecordLikes.run(uid)
  recordJobs.run(uid)
  dropRecords.run(uid)
  invalidations.add(INVALIDATION.actorCounts, uid)
}

/**
 * Whether any row is by the account or refers to it, other than a profile, records that profiles
 * show, and deleted posts.
 */
export function isReferenced(db: Db, uid: number): boolean {
  if (statements(db).isReferenced.get({ uid }) === 1) return true
  return (
    [likeEdges, followEdges, blockEdges].some((edges) => edges.hasAny(db, uid)) ||
    followEdges.isPointedAt(db, uid) ||
    blockEdges.isPointedAt(db, uid)
  )
}
