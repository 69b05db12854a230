// Whom a member has muted: private state, which lives in no repository.

import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

const statements = perDatabase((db) => ({
  insert: db.prepare<[number, number, number]>(
    'INSERT OR IGNORE INTO mutes (uid, subject, created_at) VALUES (?, ?, ?)',
  ),
  remove: db.prepare<[number, number]>('DELETE FROM mutes WHERE uid = ? AND subject = ?'),
}))

export function insertMute(db: Db, uid: number, subject: number, createdAt: number): void {
  statements(db).insert.run(uid, subject, createdAt)
}

export function deleteMute(db: Db, uid: number, subject: number): void {
  statements(db).remove.run(uid, subject)
}
