// A member's own rows, which no other account's views depend on: preferences, drafts, notifications and their
// settings, push registrations, reading positions, age and identity data, and watch times of their videos.

import type { WriteDb } from './db.ts'
import { disownLabelers } from './labelers.ts'
import { perDatabase } from './per-database.ts'
import { forgetSharedVersion } from './shared-state.ts'

const TABLES = [
  ...['preferences', 'notification_settings', 'notifications', 'drafts'],
  ...[
    'push_registrations',
    'timeline_cursors',
    'video_watches',
    'age_assurance',
    'kept_identities',
  ],
]

const statements = perDatabase((db) =>
  TABLES.map((table) => db.prepare<[number]>(`DELETE FROM ${table} WHERE uid = ?`)),
)

export function deletePrivateRows(db: WriteDb, uid: number): void {
  for (const remove of statements(db)) remove.run(uid)
  forgetSharedVersion(db, uid)
  disownLabelers(db, uid)
}
