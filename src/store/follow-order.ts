// A member's follows as a cold start needs them: in the order in which they are worth loading, and
// how many of them are loaded.

import type { Db } from './db.ts'
import { followEdges } from './edges/all-edges.ts'
import { followedBy } from './follows.ts'
import { perDatabase } from './per-database.ts'

const statements = perDatabase((db) => ({
  waiting: db
    .prepare<[string, string], number>(
      `SELECT count(*) FROM json_each(?) ids
      CROSS JOIN jobs ON jobs.kind = ? AND jobs.subject = ids.value`,
    )
    .pluck(),
  anyWaiting: db
    .prepare<[string, string], number>(
      `SELECT 1 FROM json_each(?) ids
      CROSS JOIN jobs ON jobs.kind = ? AND jobs.subject = ids.value LIMIT 1`,
    )
    .pluck(),
}))

/** Whom this account follows, each once, the latest follow first, to within some minutes. */
export function followsByAge(db: Db, uid: number): number[] {
  const pointers = followEdges.pointersOf(db, uid)
  pointers.sort((a, b) => b.period - a.period || a.subject - b.subject)
  return [...new Set(pointers.map(({ subject }) => subject))]
}

/** For how many of those whom this account follows a job of this kind waits or runs. */
export function followsWaiting(
  db: Db,
  uid: number,
  kind: string,
): { total: number; waiting: number } {
  const subjects = followedBy(db, uid)
  const waiting = statements(db).waiting.get(JSON.stringify(subjects), kind) ?? 0
  return { total: subjects.length, waiting }
}

export function isAnyFollowWaiting(db: Db, uid: number, kind: string): boolean {
  return statements(db).anyWaiting.get(JSON.stringify(followedBy(db, uid)), kind) !== undefined
}
