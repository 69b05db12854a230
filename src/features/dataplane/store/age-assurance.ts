// Age assurance states of accounts as determined by an official AppView, by uid.

import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'
import { idList } from '../../../data/store/read/id-list.ts'

type AgeAssurance = {
  uid: number
  status: string
  access: string | null
  /** Milliseconds since 1970; null: never, or unchanged. */
  initiatedAt: number | null
}

const statements = perDatabase((db) => ({
  put: db.prepare<[AgeAssurance]>(
    `INSERT INTO age_assurance (uid, status, access, initiated_at)
      VALUES (@uid, @status, @access, @initiatedAt)
      ON CONFLICT DO UPDATE SET status = excluded.status, access = coalesce(excluded.access, access),
        initiated_at = coalesce(excluded.initiated_at, initiated_at)`,
  ),
  among: db.prepare<[string], AgeAssurance>(
    `SELECT a.uid, a.status, a.access, a.initiated_at AS initiatedAt
      FROM json_each(?) ids CROSS JOIN age_assurance a ON a.uid = ids.value`,
  ),
}))

/** Null fields keep their value. */
export function putAgeAssurance(db: WriteDb, found: AgeAssurance): void {
  statements(db).put.run(found)
}

export function ageAssuranceOf(db: Db, uids: Iterable<number>): AgeAssurance[] {
  return statements(db).among.all(idList(uids))
}
