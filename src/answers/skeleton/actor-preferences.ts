// A member's app.bsky.actor preferences, as they were put.

import type { Db } from '../../data/store/db.ts'
import { findActorPreferences } from '../../data/store/preferences.ts'

/** @returns reads them; nothing was put: none. */
export function createPreferencesOf(db: Db): (uid: number) => unknown[] {
  return (uid) => JSON.parse(findActorPreferences(db, uid) ?? '[]')
}
