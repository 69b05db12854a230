// Records of likes, reposts and follows that can't be reconstructed from their rows: with a time in an
// unusual format, or made via a repost. Notifications built from rows (ingest/indexing/notifications/notify-rows.ts) show
// them as they were written. The newest MAX_STORED stay; an evicted one is shown as its row describes it. A
// record is deleted with its row, by the files of those tables.

import { type Collection, collectionCodes } from '../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

/** About 300 bytes each. */
const MAX_STORED = 100_000

type Key = { uid: number; collection: Collection; rkey: PackedRkey }

type ReactionRecord = { cid: Buffer; record: Buffer }

export type ReactionVia = ReactionRecord & {
  uid: number
  collection: number
  rkey: PackedRkey
  /** Of the repost that it was made via. */
  viaRkey: PackedRkey
}

type Inserted = ReactionRecord & {
  uid: number
  collection: number
  rkey: PackedRkey
  viaUid: number | null
  viaRkey: PackedRkey | null
}

const statements = perDatabase((db) => ({
  insert: db.prepare<[Inserted]>(
    `INSERT OR REPLACE INTO reaction_records (uid, collection, rkey, cid, record, via_uid, via_rkey)
      VALUES (@uid, @collection, @rkey, @cid, @record, @viaUid, @viaRkey)`,
  ),
  find: db.prepare<[number, number, PackedRkey], ReactionRecord>(
    'SELECT cid, record FROM reaction_records WHERE uid = ? AND collection = ? AND rkey = ?',
  ),
  via: db.prepare<[number, number], ReactionVia>(
    `SELECT uid, collection, rkey, cid, record, via_rkey AS viaRkey FROM reaction_records
      WHERE via_uid = ? ORDER BY id DESC LIMIT ?`,
  ),
  remove: db.prepare<[number, number, PackedRkey]>(
    'DELETE FROM reaction_records WHERE uid = ? AND collection = ? AND rkey = ?',
  ),
  removeAll: db.prepare<[number, number]>(
    'DELETE FROM reaction_records WHERE uid = ? AND collection = ?',
  ),
  removeOlder: db.prepare<[number]>('DELETE FROM reaction_records WHERE id <= ?'),
}))

/** @param via - the repost that it was made via, if that account is known */
export function insertReactionRecord(
  db: WriteDb,
  { uid, collection, rkey, cid, record }: Key & ReactionRecord,
  via: { uid: number; rkey: PackedRkey } | undefined,
): void {
  const { insert, removeOlder } = statements(db)
  const { lastInsertRowid } = insert.run({
    uid,
    rkey,
    cid,
    record,
    collection: collectionCodes[collection],
    viaUid: via?.uid ?? null,
    viaRkey: via?.rkey ?? null,
  })
  removeOlder.run(Number(lastInsertRowid) - MAX_STORED)
}

export function findReactionRecord(db: Db, key: Key): ReactionRecord | undefined {
  return statements(db).find.get(key.uid, collectionCodes[key.collection], key.rkey)
}

/** Reactions made via this account's reposts, latest first. */
export function reactionsVia(db: Db, uid: number, limit: number): ReactionVia[] {
  return statements(db).via.all(uid, limit)
}

export function deleteReactionRecord(db: WriteDb, key: Key): void {
  statements(db).remove.run(key.uid, collectionCodes[key.collection], key.rkey)
}

export function deleteReactionRecordsOf(db: WriteDb, uid: number, collection: Collection): void {
  statements(db).removeAll.run(uid, collectionCodes[collection])
}
