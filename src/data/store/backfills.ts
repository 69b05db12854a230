// What was loaded whole from a repository, and when.

import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

/** `what` of a member whose cold start is over. */
export const COLD_START = 'cold-start'

/** `what` of a member as soon as it is so, in this order (ingest/backfill/milestones.ts). */
export const MILESTONES = {
  /** Everything of the last hours by those they follow is here. */
  newest: 'cold-start newest',
  /** All feeds were read, but for those of servers that failed and are asked again. */
  feeds: 'cold-start feeds',
  /** The cold start brings no more posts. */
  posts: 'cold-start posts',
} as const

type Backfill = { rev: string | null; finished_at: number }

const statements = perDatabase((db) => ({
  find: db.prepare<[number, string], Backfill>(
    'SELECT rev, finished_at FROM backfills WHERE uid = ? AND what = ?',
  ),
  put: db.prepare<[number, string, string | null, number]>(
    'INSERT OR REPLACE INTO backfills (uid, what, rev, finished_at) VALUES (?, ?, ?, ?)',
  ),
  removeAll: db.prepare<[number]>('DELETE FROM backfills WHERE uid = ?'),
}))

/** `what` is a JobKind or a collection. */
export function findBackfill(db: Db, uid: number, what: string): Backfill | undefined {
  return statements(db).find.get(uid, what)
}

export function putBackfill(db: Db, uid: number, what: string, backfill: Backfill): void {
  statements(db).put.run(uid, what, backfill.rev, backfill.finished_at)
}

/** After the account was deleted or its repository replaced. */
export function deleteBackfillsOf(db: Db, uid: number): void {
  statements(db).removeAll.run(uid)
}
