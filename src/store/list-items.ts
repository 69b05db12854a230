// app.bsky.graph.listitem: who is on a list.

import type { Db } from './db.ts'
import type { PackedRkey } from './keys.ts'
import { perDatabase } from './per-database.ts'

export type ListItemRow = {
  uid: number
  rkey: PackedRkey
  list: number
  subject: number
  sort_at: number
}

type Found = { list: number; subject: number; sort_at: number }

const statements = perDatabase((db) => ({
  find: db.prepare<[number, PackedRkey], Found>(
    'SELECT list, subject, sort_at FROM list_items WHERE uid = ? AND rkey = ?',
  ),
  put: db.prepare<[number, PackedRkey, number, number, number]>(
    'INSERT OR REPLACE INTO list_items (uid, rkey, list, subject, sort_at) VALUES (?, ?, ?, ?, ?)',
  ),
  remove: db.prepare<[number, PackedRkey]>('DELETE FROM list_items WHERE uid = ? AND rkey = ?'),
  removeAll: db.prepare<[number]>('DELETE FROM list_items WHERE uid = ?'),
  contains: db
    .prepare<[number, number], number>(
      'SELECT 1 FROM list_items WHERE list = ? AND subject = ? LIMIT 1',
    )
    .pluck(),
}))

export function findListItem(db: Db, uid: number, rkey: PackedRkey): Found | undefined {
  return statements(db).find.get(uid, rkey)
}

export function putListItem(db: Db, row: ListItemRow): void {
  statements(db).put.run(row.uid, row.rkey, row.list, row.subject, row.sort_at)
}

export function deleteListItem(db: Db, uid: number, rkey: PackedRkey): boolean {
  return statements(db).remove.run(uid, rkey).changes > 0
}

export function deleteListItemsOf(db: Db, uid: number): void {
  statements(db).removeAll.run(uid)
}

export function isOnList(db: Db, list: number, subject: number): boolean {
  return statements(db).contains.get(list, subject) !== undefined
}
