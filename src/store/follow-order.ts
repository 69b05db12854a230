// A member's follows as a cold start needs them: in the order in which they are worth loading, and
// how many of them are loaded.

import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

const statements = perDatabase((db) => ({
  byAge: db
    .prepare<[number], number>(
      'SELECT subject FROM follows WHERE uid = ? GROUP BY subject ORDER BY max(sort_at) DESC, subject',
    )
    .pluck(),
  waiting: db
    .prepare<[string, number], number>(
      `SELECT count(DISTINCT follows.subject) FROM follows
      JOIN jobs ON jobs.kind = ? AND jobs.subject = follows.subject WHERE follows.uid = ?`,
    )
    .pluck(),
  anyWaiting: db
    .prepare<[string, number], number>(
      `SELECT 1 FROM follows JOIN jobs ON jobs.kind = ? AND jobs.subject = follows.subject
        WHERE follows.uid = ? LIMIT 1`,
    )
    .pluck(),
  total: db
    .prepare<[number], number>('SELECT count(DISTINCT subject) FROM follows WHERE uid = ?')
    .pluck(),
}))

/** Whom this account follows, each once, the latest follow first. */
export function followsByAge(db: Db, uid: number): number[] {
  return statements(db).byAge.all(uid)
}

/** For how many of those whom this account follows a job of this kind waits or runs. */
export function followsWaiting(
  db: Db,
  uid: number,
  kind: string,
): { total: number; waiting: number } {
  const { waiting, total } = statements(db)
  return { total: total.get(uid) ?? 0, waiting: waiting.get(kind, uid) ?? 0 }
}

export function isAnyFollowWaiting(db: Db, uid: number, kind: string): boolean {
  return statements(db).anyWaiting.get(kind, uid) !== undefined
}
