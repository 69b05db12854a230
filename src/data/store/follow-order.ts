// A member's follows as a cold start needs them: in the order in which they are worth loading, and
// for how many of them something is left to be loaded.

import { MINUTE_MS } from '../../base/util/durations.ts'
import type { Db } from './db.ts'
import { followEdges } from './edges/all-edges.ts'
import { SLOW_MS } from './job-schedule.ts'
import { type JobKind, LEASE_MS, SLOW_LANE } from './jobs.ts'
import { perDatabase } from './per-database.ts'

/** Longer than any lease. */
const SOON_MS = 11 * MINUTE_MS

const statements = perDatabase((db) => ({
  outstanding: db
    .prepare<[{ uids: string; kinds: string; priority: number; soon: number }], number>(
      `SELECT count(*) FROM json_each(@uids) ids WHERE EXISTS (
        SELECT 1 FROM json_each(@kinds) kinds CROSS JOIN jobs
          ON jobs.kind = kinds.value AND jobs.subject = ids.value
          WHERE jobs.priority <= @priority AND jobs.attempts < 3 AND jobs.not_before <= @soon)`,
    )
    .pluck(),
  firstTry: db
    .prepare<[{ uids: string; kinds: string; now: number; leased: number }], number>(
      `SELECT 1 FROM json_each(@uids) ids CROSS JOIN json_each(@kinds) kinds CROSS JOIN jobs
        ON jobs.kind = kinds.value AND jobs.subject = ids.value
        WHERE jobs.attempts = 0 AND jobs.priority < ${SLOW_LANE} AND (jobs.not_before <= @now OR jobs.not_before > @leased) LIMIT 1`,
    )
    .pluck(),
}))

/** Whom this account follows, each once, the latest follow first, to within some minutes. */
export function followsByAge(db: Db, uid: number): number[] {
  const pointers = followEdges.pointersOf(db, uid)
  pointers.sort((a, b) => b.period - a.period || a.subject - b.subject)
  return [...new Set(pointers.map(({ subject }) => subject))]
}

/**
 * For how many of these accounts a job of these kinds waits or runs, of at least this urgency. Those
 * that failed several times or are put off for long don't count: they may never be done.
 */
export function countOutstanding(
  db: Db,
  uids: readonly number[],
  of: { kinds: readonly JobKind[]; priority?: number; now: number },
): number {
  const { kinds, priority = 1_000, now } = of
  const texts = { uids: JSON.stringify(uids), kinds: JSON.stringify(kinds) }
  return statements(db).outstanding.get({ ...texts, priority, soon: now + SOON_MS }) ?? 0
}

/**
 * Whether for any of these accounts a job of these kinds is due or running for the first time. What failed,
 * waits for a server that asked to be left alone, or takes very long is not worth waiting for.
 */
export function isFirstTryDue(
  db: Db,
  uids: readonly number[],
  { kinds, now }: { kinds: readonly JobKind[]; now: number },
): boolean {
  const texts = { uids: JSON.stringify(uids), kinds: JSON.stringify(kinds) }
  const leased = now + LEASE_MS - SLOW_MS
  return statements(db).firstTry.get({ ...texts, now, leased }) !== undefined
}
