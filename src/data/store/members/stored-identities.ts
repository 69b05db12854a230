// Members' identities across restarts (sources/identity/identity-memory.ts). The later lookup wins. A
// document reported as changed leaves a row without an identity, so that a lookup already under way does not
// count.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { isHiddenStatus } from '../records/status.ts'

/** `identity`: JSON; null if there is none. */
type CachedIdentityRow = { as_of: number; identity: string | null }

const statements = perDatabase((db) => ({
  find: db.prepare<[number], { as_of: number; identity: string; status: number }>(
    `SELECT as_of, identity, status FROM kept_identities JOIN members USING (uid) JOIN actors USING (uid)
      WHERE uid = ? AND identity IS NOT NULL`,
  ),
  put: db.prepare<[CachedIdentityRow & { uid: number; now: number }]>(
    `INSERT INTO kept_identities (uid, as_of, identity) VALUES (@uid, @as_of, @identity)
      ON CONFLICT DO UPDATE SET as_of = excluded.as_of, identity = excluded.identity
        WHERE excluded.as_of > as_of OR as_of > @now`,
  ),
  doubt: db.prepare<[number, number]>(
    `INSERT INTO kept_identities (uid, as_of) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET as_of = max(as_of, excluded.as_of), identity = NULL`,
  ),
}))

/**
 * For members with an available account: deleted, suspended or taken down accounts have no kept
 * identity.
 */
export function findStoredIdentity(
  db: Db,
  uid: number,
): { as_of: number; identity: string } | undefined {
  const row = statements(db).find.get(uid)
  return row && !isHiddenStatus(row.status) ? row : undefined
}

/**
 * Ignored if the stored one was looked up later; `now`: replaces rows from before the clock was set
 * back.
 */
export function putStoredIdentity(
  db: WriteDb,
  row: CachedIdentityRow & { uid: number },
  now: number,
): void {
  statements(db).put.run({ ...row, now })
}

/** Invalidates lookups made until now. */
export function doubtStoredIdentity(db: WriteDb, uid: number, now: number): void {
  statements(db).doubt.run(uid, now)
}
