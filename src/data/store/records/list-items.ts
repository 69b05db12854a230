// app.bsky.graph.listitem: the accounts on a list. The list's row counts accounts: one may be on it twice.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase, returning } from '../per-database.ts'
import { type Invalidations, invalidationsOf } from '../transact.ts'
import { deleteRelationRecord, deleteRelationRecordsOf } from './relation-records.ts'

const LIST_ITEM = 'app.bsky.graph.listitem'

type ListItemRow = {
  uid: number
  rkey: PackedRkey
  list: number
  subject: number
  sort_at: number
}

type Ends = { list: number; subject: number }

type Found = Ends & { sort_at: number }

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  find: db.prepare<[number, PackedRkey], Found>(
    'SELECT list, subject, sort_at FROM list_items WHERE uid = ? AND rkey = ?',
  ),
  insert: db.prepare<[number, PackedRkey, number, number, number]>(
    'INSERT INTO list_items (uid, rkey, list, subject, sort_at) VALUES (?, ?, ?, ?, ?)',
  ),
  remove: returning(
    db.prepare<[number, PackedRkey], Ends>(
      'DELETE FROM list_items WHERE uid = ? AND rkey = ? RETURNING list, subject',
    ),
  ),
  removeAll: returning(
    db.prepare<[number], Ends>('DELETE FROM list_items WHERE uid = ? RETURNING list, subject'),
  ),
  count: db.prepare<[number, number]>('UPDATE lists SET people = people + ? WHERE id = ?'),
  empty: db.prepare<[number]>('UPDATE lists SET people = 0 WHERE id = ?'),
  contains: db
    .prepare<[number, number], number>(
      'SELECT 1 FROM list_items WHERE list = ? AND subject = ? LIMIT 1',
    )
    .pluck(),
}))

export function findListItem(db: Db, uid: number, rkey: PackedRkey): Found | undefined {
  return statements(db).find.get(uid, rkey)
}

/** Its key must be free. */
export function insertListItem(db: WriteDb, row: ListItemRow): void {
  const { insert, count, invalidations } = statements(db)
  if (!isOnList(db, row.list, row.subject)) count.run(1, row.list)
  insert.run(row.uid, row.rkey, row.list, row.subject, row.sort_at)
  note(invalidations, row)
}

export function deleteListItem(db: WriteDb, uid: number, rkey: PackedRkey): boolean {
  const { remove, count, invalidations } = statements(db)
  const removed = remove.get(uid, rkey)
  if (!removed) return false
  deleteRelationRecord(db, { uid, collection: LIST_ITEM, rkey })
  if (!isOnList(db, removed.list, removed.subject)) count.run(-1, removed.list)
  note(invalidations, removed)
  return true
}

/** Only a list's creator may add to it, so those lists become empty. */
export function deleteListItemsOf(db: WriteDb, uid: number): void {
  const { removeAll, empty, invalidations } = statements(db)
  const removed = removeAll.all(uid)
  deleteRelationRecordsOf(db, uid, LIST_ITEM)
  for (const list of new Set(removed.map(({ list }) => list))) empty.run(list)
  for (const one of removed) note(invalidations, one)
}

export function isOnList(db: Db, list: number, subject: number): boolean {
  return statements(db).contains.get(list, subject) !== undefined
}

/** Invalidates the list and all that depends on it: blocks by it, and who may reply. */
function note(invalidations: Invalidations, { list, subject }: Ends): void {
  invalidations.add(INVALIDATION.list, list)
  invalidations.add(INVALIDATION.relations, subject)
}
