// A member's own rows, which no other account's views depend on: preferences, drafts, notifications and their
// settings, reading positions, identity data. What features hold of a member goes, too.

import { features } from '../../../base/feature.ts'
import type { WriteDb } from '../db.ts'
import { disownLabelers } from '../moderation/labelers.ts'
import { perDatabase } from '../per-database.ts'

const MEMBERSHIP_TABLES = features.flatMap(({ membershipTables = [] }) => membershipTables)

const TABLES = [
  ...['preferences', 'notification_settings', 'notifications', 'drafts'],
  'act_arrivals',
  'kept_identities',
  ...features.flatMap(({ memberTables = [] }) => memberTables),
  ...MEMBERSHIP_TABLES,
]

const TABLES_BY_DID = features.flatMap(({ memberTablesByDid = [] }) => memberTablesByDid)

const statements = perDatabase((db) => {
  const removeFrom = (table: string) => db.prepare<[number]>(`DELETE FROM ${table} WHERE uid = ?`)
  return {
    all: [
      ...TABLES.map(removeFrom),
      ...TABLES_BY_DID.map((table) =>
        db.prepare<[number]>(
          `DELETE FROM ${table} WHERE did = (SELECT did FROM actors WHERE uid = ?)`,
        ),
      ),
    ],
    ofMembership: MEMBERSHIP_TABLES.map(removeFrom),
  }
})

export function deletePrivateRows(db: WriteDb, uid: number): void {
  for (const remove of statements(db).all) remove.run(uid)
  disownLabelers(db, uid)
}

/** What a new membership must not find. */
export function deleteEarlierRows(db: WriteDb, uid: number): void {
  for (const remove of statements(db).ofMembership) remove.run(uid)
}
