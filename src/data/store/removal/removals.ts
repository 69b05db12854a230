// Deleted accounts whose rows are being removed, slice by slice; and those whose private rows alone may be
// left, for a while.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

const statements = perDatabase((db) => ({
  insert: db.prepare<[number, number]>(
    `INSERT INTO removals (uid, begun_at) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET is_done = 0`,
  ),
  done: db.prepare<[number]>('UPDATE removals SET is_done = 1 WHERE uid = ?'),
  doneBefore: db
    .prepare<[number, number], number>(
      'SELECT uid FROM removals WHERE is_done = 1 AND begun_at < ? ORDER BY begun_at LIMIT ?',
    )
    .pluck(),
  remove: db.prepare<[number]>('DELETE FROM removals WHERE uid = ?'),
  has: db.prepare<[number], number>('SELECT 1 FROM removals WHERE uid = ? AND is_done = 0').pluck(),
  next: db
    .prepare<[], number>(
      'SELECT uid FROM removals WHERE is_done = 0 ORDER BY begun_at, uid LIMIT 1',
    )
    .pluck(),
}))

export function insertRemoval(db: WriteDb, uid: number, begunAt: number): void {
  statements(db).insert.run(uid, begunAt)
}

export function deleteRemoval(db: WriteDb, uid: number): void {
  statements(db).remove.run(uid)
}

/** Its records are gone; its private rows may still be here. */
export function markRemovalDone(db: WriteDb, uid: number): void {
  statements(db).done.run(uid)
}

/** Accounts whose records are gone, and whose removal began before this time, in milliseconds. */
export function removalsDoneBefore(db: Db, before: number, limit: number): number[] {
  return statements(db).doneBefore.all(before, limit)
}

export function isBeingRemoved(db: Db, uid: number): boolean {
  return statements(db).has.get(uid) !== undefined
}

/** The next account to remove. */
export function nextRemoval(db: Db): number | undefined {
  return statements(db).next.get()
}
