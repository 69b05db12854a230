// A member's app.bsky.actor preferences, for clients that store them with an AppView instead of the PDS:
// private state, stored as received.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

const statements = perDatabase((db) => ({
  find: db.prepare<[number], string>('SELECT preferences FROM preferences WHERE uid = ?').pluck(),
  put: db.prepare<[number, string]>(
    `INSERT INTO preferences (uid, preferences) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET preferences = excluded.preferences`,
  ),
}))

/** JSON; undefined if none were ever stored. */
export function findActorPreferences(db: Db, uid: number): string | undefined {
  return statements(db).find.get(uid)
}

export function putActorPreferences(db: WriteDb, uid: number, json: string): void {
  statements(db).put.run(uid, json)
}
