// A member's own rows, which no other account's views depend on: preferences, drafts, notifications and their
// settings, reading positions, identity data. What features hold of a member goes, too.

import { features } from '../../../base/feature.ts'
import { forgetSharedVersion } from '../cluster/shared-state.ts'
import type { WriteDb } from '../db.ts'
import { disownLabelers } from '../moderation/labelers.ts'
import { perDatabase } from '../per-database.ts'

const TABLES = [
  ...['preferences', 'notification_settings', 'notifications', 'drafts'],
  'act_arrivals',
  ...['timeline_cursors', 'kept_identities'],
  ...features.flatMap(({ memberTables = [] }) => memberTables),
]

const TABLES_BY_DID = features.flatMap(({ memberTablesByDid = [] }) => memberTablesByDid)

const statements = perDatabase((db) => [
  ...TABLES.map((table) => db.prepare<[number]>(`DELETE FROM ${table} WHERE uid = ?`)),
  ...TABLES_BY_DID.map((table) =>
    db.prepare<[number]>(`DELETE FROM ${table} WHERE did = (SELECT did FROM actors WHERE uid = ?)`),
  ),
])

export function deletePrivateRows(db: WriteDb, uid: number): void {
  for (const remove of statements(db)) remove.run(uid)
  forgetSharedVersion(db, uid)
  disownLabelers(db, uid)
}
