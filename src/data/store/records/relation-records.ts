// Records of blocks and of plain tables (list items, list blocks) that can't be reconstructed from their rows: with a
// time in an unusual format, or with further fields. They are few, and each is deleted with its row, by the files of
// those tables.

import { type Collection, collectionCodes } from '../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { type PlainTable, plainTables } from './record-tables.ts'

export type RelationCollection =
  | 'app.bsky.graph.block'
  | (typeof plainTables)[PlainTable]['collection']

export const relationCollections: ReadonlySet<Collection> = new Set<RelationCollection>([
  'app.bsky.graph.block',
  ...Object.values(plainTables).map(({ collection }) => collection),
])

type Key = { uid: number; collection: RelationCollection; rkey: PackedRkey }

const statements = perDatabase((db) => ({
  put: db.prepare<[number, number, PackedRkey, Buffer, Buffer]>(
    `INSERT OR REPLACE INTO relation_records (uid, collection, rkey, cid, record)
      VALUES (?, ?, ?, ?, ?)`,
  ),
  remove: db.prepare<[number, number, PackedRkey]>(
    'DELETE FROM relation_records WHERE uid = ? AND collection = ? AND rkey = ?',
  ),
  removeAll: db.prepare<[number, number]>(
    'DELETE FROM relation_records WHERE uid = ? AND collection = ?',
  ),
}))

export function putRelationRecord(
  db: WriteDb,
  { uid, collection, rkey, cid, record }: Key & { cid: Buffer; record: Buffer },
): void {
  statements(db).put.run(uid, collectionCodes[collection], rkey, cid, record)
}

export function deleteRelationRecord(db: WriteDb, { uid, collection, rkey }: Key): void {
  statements(db).remove.run(uid, collectionCodes[collection], rkey)
}

export function deleteRelationRecordsOf(
  db: WriteDb,
  uid: number,
  collection: RelationCollection,
): void {
  statements(db).removeAll.run(uid, collectionCodes[collection])
}
