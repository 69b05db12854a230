// Deleted accounts whose rows are being removed, slice by slice.

import type { Db, WriteDb } from './db.ts'
import { perDatabase } from './per-database.ts'

const statements = perDatabase((db) => ({
  insert: db.prepare<[number, number]>(
    'INSERT OR IGNORE INTO removals (uid, begun_at) VALUES (?, ?)',
  ),
  remove: db.prepare<[number]>('DELETE FROM removals WHERE uid = ?'),
  has: db.prepare<[number], number>('SELECT 1 FROM removals WHERE uid = ?').pluck(),
  next: db.prepare<[], number>('SELECT uid FROM removals ORDER BY begun_at, uid LIMIT 1').pluck(),
}))

export function insertRemoval(db: WriteDb, uid: number, begunAt: number): void {
  statements(db).insert.run(uid, begunAt)
}

export function deleteRemoval(db: WriteDb, uid: number): void {
  statements(db).remove.run(uid)
}

export function isBeingRemoved(db: Db, uid: number): boolean {
  return statements(db).has.get(uid) !== undefined
}

/** The next account to remove. */
export function nextRemoval(db: Db): number | undefined {
  return statements(db).next.get()
}
