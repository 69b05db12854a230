// app.bsky.graph.listblock: accounts that block everyone on a list.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { invalidationsOf } from '../transact.ts'
import { deleteRelationRecord, deleteRelationRecordsOf } from './relation-records.ts'

const LIST_BLOCK = 'app.bsky.graph.listblock'

type ListBlockRow = { uid: number; rkey: PackedRkey; list: number; sort_at: number }

type Found = { list: number; sort_at: number }

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  find: db.prepare<[number, PackedRkey], Found>(
    'SELECT list, sort_at FROM list_blocks WHERE uid = ? AND rkey = ?',
  ),
  insert: db.prepare<[number, PackedRkey, number, number]>(
    'INSERT INTO list_blocks (uid, rkey, list, sort_at) VALUES (?, ?, ?, ?)',
  ),
  remove: db.prepare<[number, PackedRkey]>('DELETE FROM list_blocks WHERE uid = ? AND rkey = ?'),
  removeAll: db.prepare<[number]>('DELETE FROM list_blocks WHERE uid = ?'),
  someOn: db.prepare<[number, number], { uid: number; rkey: PackedRkey }>(
    'SELECT uid, rkey FROM list_blocks WHERE list = ? LIMIT ?',
  ),
}))

export function findListBlock(db: Db, uid: number, rkey: PackedRkey): Found | undefined {
  return statements(db).find.get(uid, rkey)
}

/** Its key must be free. */
export function insertListBlock(db: WriteDb, row: ListBlockRow): void {
  const { insert, invalidations } = statements(db)
  insert.run(row.uid, row.rkey, row.list, row.sort_at)
  invalidations.add(INVALIDATION.relations, row.uid)
}

export function deleteListBlock(db: WriteDb, uid: number, rkey: PackedRkey): boolean {
  const { remove, invalidations } = statements(db)
  invalidations.add(INVALIDATION.relations, uid)
  deleteRelationRecord(db, { uid, collection: LIST_BLOCK, rkey })
  return remove.run(uid, rkey).changes > 0
}

export function deleteListBlocksOf(db: WriteDb, uid: number): void {
  const { removeAll, invalidations } = statements(db)
  removeAll.run(uid)
  deleteRelationRecordsOf(db, uid, LIST_BLOCK)
  invalidations.add(INVALIDATION.relations, uid)
}

/** Blocks that name this list, up to the limit. */
export function listBlocksOn(
  db: Db,
  list: number,
  limit: number,
): { uid: number; rkey: PackedRkey }[] {
  return statements(db).someOn.all(list, limit)
}
