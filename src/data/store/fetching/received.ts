// Authors whose records were fetched, for which member, and the kilobytes they brought in the author's
// current hour. A row is useful for two hours; an author without one was fetched for no member in particular.

import { HOUR_MS } from '../../../base/util/durations.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

type Received = { member: number; kb: number; ends_at: number }

type OfMember = { member: number; authors: number; kb: number }

const PRUNED_AT_ONCE = 5_000

const statements = perDatabase((db) => ({
  find: db.prepare<[number], Received>('SELECT member, kb, ends_at FROM brought WHERE uid = ?'),
  put: db.prepare<[number, number, number, number]>(
    'INSERT OR REPLACE INTO brought (uid, member, kb, ends_at) VALUES (?, ?, ?, ?)',
  ),
  ofMembers: db.prepare<[number], OfMember>(
    `SELECT member, count(*) AS authors, sum(kb) AS kb FROM brought WHERE ends_at > ? GROUP BY member`,
  ),
  prune: db.prepare<[number, number]>(
    'DELETE FROM brought WHERE uid IN (SELECT uid FROM brought WHERE ends_at <= ? LIMIT ?)',
  ),
}))

/**
 * For the author's hour; an hour that is over, or that a wrong clock put far ahead, counts as none.
 */
export function findReceived(db: Db, uid: number, now: number): Received | undefined {
  const row = statements(db).find.get(uid)
  if (!row || isInHour(row, now)) return row
  return { ...row, kb: 0, ends_at: now + HOUR_MS }
}

/**
 * Attributes the author's records to this member from now on. The kilobytes of the author's hour
 * stay.
 */
export function noteReceivedBy(
  db: WriteDb,
  uid: number,
  { member, now }: { member: number; now: number },
): void {
  const { kb = 0, ends_at = now + HOUR_MS } = findReceived(db, uid, now) ?? {}
  statements(db).put.run(uid, member, kb, ends_at)
}

export function addReceived(
  db: WriteDb,
  uid: number,
  more: { member: number; kb: number; now: number },
): void {
  const { now } = more
  const { kb = 0, ends_at = now + HOUR_MS, member = more.member } = findReceived(db, uid, now) ?? {}
  statements(db).put.run(uid, member, kb + more.kb, ends_at)
}

/** Kilobytes of all hours under way, by member. */
export function receivedByMembers(db: Db, now: number): OfMember[] {
  return statements(db).ofMembers.all(now)
}

/** Deletes useless rows, some at a time. */
export function pruneReceived(db: WriteDb, now: number): void {
  statements(db).prune.run(now - HOUR_MS, PRUNED_AT_ONCE)
}

function isInHour({ ends_at }: Received, now: number): boolean {
  return ends_at > now && ends_at <= now + HOUR_MS
}
