// Work against other people's servers. A job is written in the transaction of the rows that make it
// necessary, leased to a worker for a while, and deleted when it is done; so a crash loses none.

import { backoffMs, jittered } from '../../../base/util/backoff.ts'
import { HOUR_MS, MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { type JobKind, jobPriority } from './job-kinds.ts'

export type Job = {
  kind: JobKind
  subject: number
  priority: number
  attempts: number
  stamp: number
}

/** Unique per job. */
export function keyOf({ kind, subject }: Job): string {
  return `${kind} ${subject}`
}

/**
 * Jobs from this priority on belong to the slow lane (ingest/backfill/slow-lane.ts): no request
 * waits for them.
 */
export const SLOW_LANE = jobPriority.author

export const LEASE_MS = 10 * MINUTE_MS
const RETRY = { firstMs: 5_000, longestMs: 6 * HOUR_MS }
const MAX_ATTEMPTS = 12
const MAX_ERROR_LENGTH = 300

const statements = perDatabase((db) => ({
  enqueue: db.prepare<[string, number, number]>(
    `INSERT INTO jobs (kind, subject, priority) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET priority = min(priority, excluded.priority), not_before =
        CASE WHEN excluded.priority < priority AND last_error IS NULL THEN 0 ELSE not_before END`,
  ),
  again: db.prepare<[string, number, number]>(
    `INSERT INTO jobs (kind, subject, priority) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET priority = min(priority, excluded.priority), stamp = stamp + 1, attempts = 0`,
  ),
  hasten: db.prepare<[{ kind: string; subject: number; at: number }]>(
    `UPDATE jobs SET not_before = :at
      WHERE kind = :kind AND subject = :subject AND last_error IS NOT NULL AND not_before > :at`,
  ),
  outdate: db.prepare<[string, number]>(
    'UPDATE jobs SET stamp = stamp + 1 WHERE kind = ? AND subject = ?',
  ),
  nextPriority: db
    .prepare<[number], number | null>('SELECT min(priority) FROM jobs WHERE priority > ?')
    .pluck(),
  due: db.prepare<[{ priority: number; now: number; limit: number }], Job>(
    `SELECT kind, subject, priority, attempts, stamp FROM jobs
      WHERE priority = :priority AND not_before <= :now ORDER BY not_before LIMIT +:limit`,
  ),
  lease: db.prepare<[number, string, number]>(
    'UPDATE jobs SET not_before = ?, last_error = NULL WHERE kind = ? AND subject = ?',
  ),
  release: db.prepare<[number]>(
    `UPDATE jobs SET not_before = 0
      WHERE (last_error IS NULL AND priority <> ${jobPriority.author}) OR not_before > +?`,
  ),
  bringForward: db.prepare<[number]>('UPDATE jobs SET not_before = max(0, not_before - ?)'),
  done: db.prepare<[string, number, number]>(
    'DELETE FROM jobs WHERE kind = ? AND subject = ? AND stamp = ?',
  ),
  remove: db.prepare<[string, number]>('DELETE FROM jobs WHERE kind = ? AND subject = ?'),
  retry: db.prepare<[number, number, string, string, number]>(
    'UPDATE jobs SET attempts = ?, not_before = ?, last_error = ? WHERE kind = ? AND subject = ?',
  ),
  countRoughly: db
    .prepare<[], number>('SELECT count(*) FROM (SELECT 1 FROM jobs LIMIT 20000)')
    .pluck(),
  countOf: db
    .prepare<[number, number], number>(
      'SELECT count(*) FROM (SELECT 1 FROM jobs WHERE priority = ? LIMIT ?)',
    )
    .pluck(),
  count: db.prepare<[], { kind: JobKind; count: number }>(
    'SELECT kind, count(*) AS count FROM jobs GROUP BY kind',
  ),
}))

/**
 * Idempotent: a job that already waits or runs stays, at most with a higher urgency. It is then due
 * at once, even if leased, so that its worker notices; a job waiting after a failure still waits.
 */
export function enqueueJob(
  db: WriteDb,
  kind: JobKind,
  subject: number,
  priority: number = jobPriority[kind],
): void {
  statements(db).enqueue.run(kind, subject, priority)
}

/**
 * Like `enqueueJob`, but a running job will run once more, since its data has changed meanwhile.
 */
export function enqueueJobAgain(
  db: WriteDb,
  kind: JobKind,
  subject: number,
  priority: number = jobPriority[kind],
): void {
  statements(db).again.run(kind, subject, priority)
}

/**
 * A job that waits after a failure is due by `at`, as there is reason to hope that it succeeds;
 * milliseconds since 1970.
 */
export function hastenJob(db: WriteDb, kind: JobKind, subject: number, at: number): void {
  statements(db).hasten.run({ kind, subject, at })
}

/** Makes running jobs of these kinds run once more. */
export function outdateJobs(db: WriteDb, subject: number, kinds: readonly JobKind[]): void {
  for (const kind of kinds) statements(db).outdate.run(kind, subject)
}

/**
 * Leases up to `limit` due jobs, most urgent first, to the caller alone. Excludes the slow lane's
 * own jobs.
 */
export function takeJobs(db: WriteDb, now: number, limit: number): Job[] {
  const { lease } = statements(db)
  const jobs = dueJobs(db, now, limit)
  for (const { kind, subject } of jobs) lease.run(now + LEASE_MS, kind, subject)
  return jobs
}

/** Goes priority by priority, so that postponed jobs are never scanned, however many. */
function dueJobs(db: Db, now: number, limit: number): Job[] {
  const { nextPriority, due } = statements(db)
  const jobs: Job[] = []
  let priority = nextPriority.get(-1)
  while (priority != null && jobs.length < limit) {
    if (priority !== jobPriority.author)
      jobs.push(...due.all({ priority, now, limit: limit - jobs.length }))
    priority = nextPriority.get(priority)
  }
  return jobs
}

/** The next jobs of the slow lane, the longest waiting first. */
export function nextSlowJobs(db: Db, now: number, limit: number): Job[] {
  return statements(db).due.all({ priority: jobPriority.author, now, limit })
}

/**
 * At start: jobs leased by a stopped process are due again; jobs waiting after a failure, or for
 * their turn in the slow lane, still wait, but never longer than the longest delay, since only a
 * wrong clock can have asked for more. Failed jobs are recognised by their error, which a lease
 * clears.
 */
export function releaseJobs(db: WriteDb, now: number): void {
  statements(db).release.run(now + RETRY.longestMs)
}

/** After the clock was set back by this many milliseconds: no job waits longer because of it. */
export function bringJobsForward(db: WriteDb, byMs: number): void {
  statements(db).bringForward.run(Math.round(byMs))
}

/**
 * Deletes the job, unless it was enqueued again while it ran: then it is due at once.
 * @returns whether it was deleted
 */
export function finishJob(db: WriteDb, job: Job): boolean {
  const { done, lease } = statements(db)
  const { changes } = done.run(job.kind, job.subject, job.stamp)
  if (changes === 0) lease.run(0, job.kind, job.subject)
  return changes > 0
}

/** Drops a job that is no longer needed. */
export function deleteJob(db: WriteDb, kind: JobKind, subject: number): void {
  statements(db).remove.run(kind, subject)
}

/** Puts the job back with a growing, jittered delay, or gives up after many attempts. */
export function failJob(
  db: WriteDb,
  job: Job,
  failure: { error: string; now: number; retryAfterMs?: number },
): 'retry' | 'gave-up' {
  const attempts = job.attempts + 1
  if (attempts >= MAX_ATTEMPTS) {
    statements(db).done.run(job.kind, job.subject, job.stamp)
    return 'gave-up'
  }
  const delayMs = jittered(backoffMs({ ...RETRY, failures: job.attempts }))
  const notBefore = failure.now + Math.max(delayMs, failure.retryAfterMs ?? 0)
  const error = failure.error.slice(0, MAX_ERROR_LENGTH)
  statements(db).retry.run(attempts, Math.round(notBefore), error, job.kind, job.subject)
  return 'retry'
}

/** Jobs of all kinds, for a report every second: stops counting at 20,000. */
export function countJobsRoughly(db: Db): number {
  return statements(db).countRoughly.get() ?? 0
}

/** Jobs of one priority, counted up to `limit`. */
export function countJobsOf(db: Db, priority: number, limit: number): number {
  return statements(db).countOf.get(priority, limit) ?? 0
}

export function countJobs(db: Db): Partial<Record<JobKind, number>> {
  return Object.fromEntries(
    statements(db)
      .count.all()
      .map(({ kind, count }) => [kind, count]),
  )
}
