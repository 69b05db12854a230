// Repositories and collections that were loaded whole, and when.

import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { invalidationsOf } from '../transact.ts'

/** `what` of a member whose cold start is finished. */
export const COLD_START = 'cold-start'

/** `what` of a member whose cold start was examined: `finished_at` says when first. */
export const COLD_START_BEGUN = 'cold-start begun'

/**
 * `what` of a member that has reached a milestone, in this order (ingest/backfill/milestones.ts).
 */
export const MILESTONES = {
  /**
   * All records since a time by the accounts they follow are here: `rev` gives that time, in ms
   * since 1970.
   */
  latest: 'cold-start latest',
  /** All records of the last hours by the accounts they follow are here. */
  newest: 'cold-start newest',
  /** All feeds were read, except those of servers that failed and are retried. */
  feeds: 'cold-start feeds',
  /** The cold start brings no more posts. */
  posts: 'cold-start posts',
} as const

type Backfill = {
  rev: string | null
  finished_at: number
  /** Records that were listed and skipped because the budget was used up: at least this many. */
  left_out: number
}

const statements = perDatabase((db) => ({
  find: db.prepare<[number, string], Backfill>(
    'SELECT rev, finished_at, left_out FROM backfills WHERE uid = ? AND what = ?',
  ),
  put: db.prepare<[number, string, string | null, number, number]>(
    'INSERT OR REPLACE INTO backfills (uid, what, rev, finished_at, left_out) VALUES (?, ?, ?, ?, ?)',
  ),
  milestones: db
    .prepare<[number], string>(
      `SELECT what FROM backfills WHERE uid = ?
        AND what IN ('${[COLD_START, ...Object.values(MILESTONES)].join("', '")}')`,
    )
    .pluck(),
  cutShort: db
    .prepare<[number], string>('SELECT what FROM backfills WHERE uid = ? AND left_out > 0')
    .pluck(),
  leftOut: db
    .prepare<[], number>('SELECT total(left_out) FROM backfills WHERE left_out > 0')
    .pluck(),
  leftOutAmong: db
    .prepare<[string], number>(
      `SELECT total(left_out) FROM json_each(?) ids CROSS JOIN backfills INDEXED BY backfills_left_out
        ON backfills.uid = ids.value AND left_out > 0`,
    )
    .pluck(),
  removeAll: db.prepare<[number]>('DELETE FROM backfills WHERE uid = ?'),
}))

/** `what` is a JobKind or a collection. */
export function findBackfill(db: Db, uid: number, what: string): Backfill | undefined {
  return statements(db).find.get(uid, what)
}

export function putBackfill(
  db: WriteDb,
  uid: number,
  what: string,
  { rev, finished_at, left_out = 0 }: Omit<Backfill, 'left_out'> & Partial<Backfill>,
): void {
  statements(db).put.run(uid, what, rev, finished_at, left_out)
}

/** COLD_START and the MILESTONES that this member's cold start has reached, in no order. */
export function milestonesReached(db: Db, uid: number): string[] {
  return statements(db).milestones.all(uid)
}

/** Kinds of this account's data that were not loaded completely, because the budget was used up. */
export function cutShort(db: Db, uid: number): string[] {
  return statements(db).cutShort.all(uid)
}

/** Records of all accounts that were left out because the budget was used up. */
export function countLeftOut(db: Db): number {
  return statements(db).leftOut.get() ?? 0
}

export function countLeftOutAmong(db: Db, uids: readonly number[]): number {
  if (uids.length === 0) return 0
  return statements(db).leftOutAmong.get(JSON.stringify(uids)) ?? 0
}

/** Called after the account was deleted or its repository replaced. */
export function deleteBackfillsOf(db: WriteDb, uid: number): void {
  const { changes } = statements(db).removeAll.run(uid)
  if (changes > 0) invalidationsOf(db).add(INVALIDATION.backfills, uid)
}
