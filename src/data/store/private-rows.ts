// Rows that are a member's alone and that nobody else's views are made from: preferences, what they were
// told, how they want to be told, what is known of their age and identity, and for how long their videos were watched.

import type { WriteDb } from './db.ts'
import { perDatabase } from './per-database.ts'

const TABLES = [
  ...['preferences', 'notification_settings', 'notifications', 'drafts'],
  ...['push_registrations', 'video_watches', 'age_assurance', 'kept_identities'],
]

const statements = perDatabase((db) =>
  TABLES.map((table) => db.prepare<[number]>(`DELETE FROM ${table} WHERE uid = ?`)),
)

export function deletePrivateRows(db: WriteDb, uid: number): void {
  for (const remove of statements(db)) remove.run(uid)
}
