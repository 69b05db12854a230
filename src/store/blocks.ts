// app.bsky.graph.block.

import type { Db } from './db.ts'
import type { PackedRkey } from './keys.ts'
import { perDatabase } from './per-database.ts'

export type BlockRow = { uid: number; rkey: PackedRkey; subject: number; sort_at: number }

const statements = perDatabase((db) => ({
  find: db.prepare<[number, PackedRkey], { subject: number; sort_at: number }>(
    'SELECT subject, sort_at FROM blocks WHERE uid = ? AND rkey = ?',
  ),
  put: db.prepare<[number, PackedRkey, number, number]>(
    'INSERT OR REPLACE INTO blocks (uid, rkey, subject, sort_at) VALUES (?, ?, ?, ?)',
  ),
  remove: db.prepare<[number, PackedRkey]>('DELETE FROM blocks WHERE uid = ? AND rkey = ?'),
  removeAll: db.prepare<[number]>('DELETE FROM blocks WHERE uid = ?'),
}))

export function findBlock(
  db: Db,
  uid: number,
  rkey: PackedRkey,
): { subject: number; sort_at: number } | undefined {
  return statements(db).find.get(uid, rkey)
}

export function putBlock(db: Db, row: BlockRow): void {
  statements(db).put.run(row.uid, row.rkey, row.subject, row.sort_at)
}

export function deleteBlock(db: Db, uid: number, rkey: PackedRkey): boolean {
  return statements(db).remove.run(uid, rkey).changes > 0
}

export function deleteBlocksOf(db: Db, uid: number): void {
  statements(db).removeAll.run(uid)
}
