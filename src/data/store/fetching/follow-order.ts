// A member's follows for its cold start: in the order in which they are worth loading, and how many of them
// still have data to load.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db } from '../db.ts'
import { followEdges } from '../edges/all-edges.ts'
import { perDatabase } from '../per-database.ts'
import type { JobKind } from './job-kinds.ts'
import { SLOW_MS } from './job-schedule.ts'
import { LEASE_MS, SLOW_LANE } from './jobs.ts'

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

/**
 * The distinct accounts that this account follows, latest follow first, accurate to some minutes.
 */
export function followsByAge(db: Db, uid: number): number[] {
  const pointers = followEdges.pointersOf(db, uid)
  pointers.sort((a, b) => b.period - a.period || a.subject - b.subject)
  return [...new Set(pointers.map(({ subject }) => subject))]
}

/**
 * Counts the accounts among these with a waiting or running job of these kinds that has at least
 * this urgency. Excludes jobs that failed several times or are put off for long, since they may
 * never finish.
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
 * Whether any of these accounts has a job of these kinds that is due or running for the first time.
 * Jobs that failed, wait for a server that asked to be left alone, or take very long are not worth
 * waiting for.
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
