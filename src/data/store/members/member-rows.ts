// A member's data that is in no repository, a little at a time, for its removal.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

const statements = perDatabase((db) => ({
  notifications: db.prepare<[number, number], { id: number; post: number | null }>(
    `SELECT n.id, p.id AS post FROM (SELECT id, author, rkey FROM notifications WHERE uid = +? LIMIT +?) n
      LEFT JOIN posts p ON p.uid = n.author AND p.rkey = n.rkey`,
  ),
  acts: db.prepare<[number, number], { seq: number }>(
    'SELECT seq FROM act_arrivals WHERE uid = ? LIMIT ?',
  ),
  removeAct: db.prepare<[number]>('DELETE FROM act_arrivals WHERE seq = ?'),
  removeNotification: db.prepare<[number]>('DELETE FROM notifications WHERE id = ?'),
}))

/** The next of a member's notifications; `post`: set if a post caused it. */
export function notificationsToRemove(
  db: Db,
  uid: number,
  limit: number,
): { id: number; post: number | null }[] {
  return statements(db).notifications.all(uid, limit)
}

export function deleteNotification(db: WriteDb, id: number): void {
  statements(db).removeNotification.run(id)
}

/** The next of the numbers of a member's likes and follows. */
export function actsToRemove(db: Db, uid: number, limit: number): { seq: number }[] {
  return statements(db).acts.all(uid, limit)
}

/** The like or follow itself stays. */
export function deleteAct(db: WriteDb, seq: number): void {
  statements(db).removeAct.run(seq)
}
