// app.bsky.graph.listblock: who blocks everyone on a list.

import type { Db } from './db.ts'
import type { PackedRkey } from './keys.ts'
import { perDatabase } from './per-database.ts'

export type ListBlockRow = { uid: number; rkey: PackedRkey; list: number; sort_at: number }

type Found = { list: number; sort_at: number }

const statements = perDatabase((db) => ({
  find: db.prepare<[number, PackedRkey], Found>(
    'SELECT list, sort_at FROM list_blocks WHERE uid = ? AND rkey = ?',
  ),
  put: db.prepare<[number, PackedRkey, number, number]>(
    'INSERT OR REPLACE INTO list_blocks (uid, rkey, list, sort_at) VALUES (?, ?, ?, ?)',
  ),
  remove: db.prepare<[number, PackedRkey]>('DELETE FROM list_blocks WHERE uid = ? AND rkey = ?'),
  removeAll: db.prepare<[number]>('DELETE FROM list_blocks WHERE uid = ?'),
}))

export function findListBlock(db: Db, uid: number, rkey: PackedRkey): Found | undefined {
  return statements(db).find.get(uid, rkey)
}

export function putListBlock(db: Db, row: ListBlockRow): void {
  statements(db).put.run(row.uid, row.rkey, row.list, row.sort_at)
}

export function deleteListBlock(db: Db, uid: number, rkey: PackedRkey): boolean {
  return statements(db).remove.run(uid, rkey).changes > 0
}

export function deleteListBlocksOf(db: Db, uid: number): void {
  statements(db).removeAll.run(uid)
}
