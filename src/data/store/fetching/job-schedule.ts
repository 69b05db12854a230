// Reschedules jobs without counting a failure: their host is busy or asked to be left alone, or other jobs
// should run first.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { type JobKind, jobKinds } from './job-kinds.ts'
import { type Job, LEASE_MS } from './jobs.ts'

export type JobTarget = { uid: number; did: string; pds: string | null; checkedAt: number | null }

const TARGET = 'actors.uid, actors.did, actors.pds, actors.identity_checked_at AS checkedAt'

/** A job leased for longer than this waits for a slow server. */
export const SLOW_MS = MINUTE_MS

const statements = perDatabase((db) => ({
  postpone: db.prepare<[number, string, number]>(
    'UPDATE jobs SET not_before = ? WHERE kind = ? AND subject = ?',
  ),
  rank: db.prepare<[number, string, number]>(
    'UPDATE jobs SET not_before = ? WHERE kind = ? AND subject = ? AND not_before = 0',
  ),
  waiting: db
    .prepare<[string, number], number>('SELECT 1 FROM jobs WHERE kind = ? AND subject = ?')
    .pluck(),
  anyWaiting: db.prepare<[string], number>('SELECT 1 FROM jobs WHERE kind = ? LIMIT 1').pluck(),
  among: db
    .prepare<[string, string], number>(
      'SELECT count(*) FROM json_each(?) ids CROSS JOIN jobs ON jobs.kind = ? AND jobs.subject = ids.value',
    )
    .pluck(),
  putOff: db
    .prepare<[string, number, number, number], number>(
      `SELECT 1 FROM jobs WHERE kind = ? AND subject = ? AND not_before > ?
        AND (not_before <= ? OR last_error IS NOT NULL)`,
    )
    .pluck(),
  demote: db.prepare<[number, string, number]>(
    'UPDATE jobs SET priority = ?, not_before = 0 WHERE kind = ? AND subject = ?',
  ),
  targets: {
    account: db.prepare<[number], JobTarget>(`SELECT ${TARGET} FROM actors WHERE uid = ?`),
    post: db.prepare<[number], JobTarget>(
      `SELECT ${TARGET} FROM posts JOIN actors ON actors.uid = posts.uid WHERE posts.id = ?`,
    ),
    list: db.prepare<[number], JobTarget>(
      `SELECT ${TARGET} FROM lists JOIN actors ON actors.uid = lists.uid WHERE lists.id = ?`,
    ),
    associated: db.prepare<[number], JobTarget>(
      `SELECT ${TARGET} FROM associated_records r JOIN actors ON actors.uid = r.uid WHERE r.id = ?`,
    ),
    record: db.prepare<[number], JobTarget>(
      `SELECT ${TARGET} FROM records JOIN actors ON actors.uid = records.uid WHERE records.id = ?`,
    ),
  },
}))

export function postponeJob(db: WriteDb, { kind, subject }: Job, until: number): void {
  statements(db).postpone.run(Math.ceil(until), kind, subject)
}

/**
 * Among due jobs of one priority, the lower rank runs first. Running and failed jobs stay
 * unchanged.
 */
export function rankJob(db: WriteDb, job: { kind: JobKind; subject: number }, rank: number): void {
  statements(db).rank.run(rank, job.kind, job.subject)
}

export function isJobWaiting(db: Db, kind: JobKind, subject: number): boolean {
  return statements(db).waiting.get(kind, subject) !== undefined
}

/**
 * Whether the job waits, and not to run before `until`. A job that has run for less than a minute
 * does not wait.
 */
export function isJobPutOff(
  db: Db,
  { kind, subject }: { kind: JobKind; subject: number },
  { now, until }: { now: number; until: number },
): boolean {
  return statements(db).putOff.get(kind, subject, until, now + LEASE_MS - SLOW_MS) !== undefined
}

/** For any subject. */
export function isAnyJobWaiting(db: Db, kind: JobKind): boolean {
  return statements(db).anyWaiting.get(kind) !== undefined
}

/** Counts the subjects among these with a waiting job of this kind, however long it waits. */
export function countJobsAmong(db: Db, kind: JobKind, subjects: readonly number[]): number {
  if (subjects.length === 0) return 0
  return statements(db).among.get(JSON.stringify(subjects), kind) ?? 0
}

/** Puts the job back, behind others. */
export function demoteJob(db: WriteDb, { kind, subject }: Job, priority: number): void {
  statements(db).demote.run(priority, kind, subject)
}

/** The account whose server a job contacts; undefined if its subject no longer exists. */
export function jobTarget(db: Db, { kind, subject }: Job): JobTarget | undefined {
  return statements(db).targets[jobKinds[kind].of].get(subject)
}
