// How far the repair of a gap is, and how it ended. Written in the transaction of what it brought, so a
// repair goes on where it was interrupted.

import type { Db, WriteDb } from './db.ts'
import { KEPT_CLOSED_GAPS } from './gaps.ts'
import { perDatabase } from './per-database.ts'

const statements = perDatabase((db) => ({
  step: db.prepare<[string, number, number]>(
    "UPDATE gaps SET state = 'repairing', step = ?, reached = ? WHERE id = ?",
  ),
  reach: db.prepare<[number, number]>('UPDATE gaps SET reached = max(reached, ?) WHERE id = ?'),
  putOff: db.prepare<[number, number]>('UPDATE gaps SET retry_at = ? WHERE id = ?'),
  bringForward: db.prepare<[number]>(
    "UPDATE gaps SET retry_at = max(0, retry_at - ?) WHERE state <> 'closed' AND retry_at > 0",
  ),
  tally: db.prepare<[number, number, number]>(
    'UPDATE gaps SET compared = compared + ?, unreachable = unreachable + ? WHERE id = ?',
  ),
  absorb: db.prepare<[{ into: number; id: number }]>(
    `UPDATE gaps SET times = gaps.times + other.times, from_us = min(gaps.from_us, other.from_us),
      to_us = max(gaps.to_us, other.to_us) FROM (SELECT * FROM gaps WHERE id = :id) AS other
      WHERE gaps.id = :into`,
  ),
  window: db.prepare<[{ id: number; window: number }]>(
    `INSERT INTO gaps (host, uid, from_us, to_us, cause, found_at, step)
      SELECT host, uid, from_us, min(to_us, :window), cause, found_at, 'compare' FROM gaps
      WHERE id = :id AND from_us < :window`,
  ),
  begin: db.prepare<[number, number]>('UPDATE gaps SET from_us = max(from_us, ?) WHERE id = ?'),
  compare: db.prepare<[number]>(
    "UPDATE gaps SET state = 'open', step = 'compare', reached = 0 WHERE id = ?",
  ),
  close: db.prepare<[number, string, string | null, number]>(
    "UPDATE gaps SET state = 'closed', closed_at = ?, how = ?, note = ? WHERE id = ? AND state <> 'closed'",
  ),
  closeOfAccount: db.prepare<[number, string, number]>(
    "UPDATE gaps SET state = 'closed', closed_at = ?, how = ? WHERE uid = ? AND state <> 'closed'",
  ),
  prune: db.prepare<[number]>(
    `DELETE FROM gaps WHERE state = 'closed' AND closed_at <
      (SELECT closed_at FROM gaps WHERE state = 'closed' ORDER BY closed_at DESC LIMIT 1 OFFSET ?)`,
  ),
  repairAccount: db.prepare<[number]>(
    "UPDATE gaps SET state = 'repairing', step = 'compare' WHERE uid = ? AND state = 'open'",
  ),
  putOffAccount: db.prepare<[number, number]>(
    "UPDATE gaps SET state = 'open', retry_at = ? WHERE uid = ? AND state <> 'closed'",
  ),
  sweeping: db.prepare<[], SweepingGap>(
    `SELECT id, from_us AS fromUs, to_us AS toUs FROM gaps
      WHERE state <> 'closed' AND state = 'repairing' AND step = 'compare' AND uid IS NULL ORDER BY id LIMIT 1`,
  ),
  idle: db
    .prepare<[number, number], number>(
      `SELECT uid FROM gaps
        WHERE state <> 'closed' AND uid IS NOT NULL AND retry_at <= ?
        AND NOT EXISTS (SELECT 1 FROM jobs WHERE kind = 'repo' AND subject = gaps.uid) LIMIT ?`,
    )
    .pluck(),
}))

/** The clock was set back by so many milliseconds: no repair waits for longer because of it. */
export function bringGapsForward(db: WriteDb, byMs: number): void {
  statements(db).bringForward.run(Math.round(byMs))
}

type SweepingGap = { id: number; fromUs: number; toUs: number }

/** The one gap of the stream because of which repositories are compared now. */
export function sweepingGap(db: Db): SweepingGap | undefined {
  return statements(db).sweeping.get()
}

/** The gap is at work, at this step from this place on. */
export function setGapStep(
  db: WriteDb,
  id: number,
  { step, reached }: { step: 'replay' | 'compare'; reached: number },
): void {
  statements(db).step.run(step, reached, id)
}

export function setGapReached(db: WriteDb, id: number, reached: number): void {
  statements(db).reach.run(reached, id)
}

/** One more repository was looked at, or could not be. */
export function countCompared(db: WriteDb, id: number, isReached: boolean): void {
  statements(db).tally.run(1, isReached ? 0 : 1, id)
}

/** `other` is repaired together with `id` from now on. */
export function absorbGap(db: WriteDb, id: number, other: { id: number; now: number }): void {
  const { absorb, close } = statements(db)
  absorb.run({ into: id, id: other.id })
  close.run(other.now, `together with ${id}`, null, other.id)
}

/** What was before `windowUs` can't be replayed; it becomes a gap of its own, to be compared. */
export function splitGap(db: WriteDb, id: number, windowUs: number): void {
  const { window, begin } = statements(db)
  window.run({ id, window: windowUs })
  begin.run(windowUs, id)
}

/** No replay can close it: repositories are to be compared. */
export function compareGap(db: WriteDb, id: number): void {
  statements(db).compare.run(id)
}

export function closeGap(
  db: WriteDb,
  id: number,
  end: { how: string; note?: string | undefined; now: number },
): void {
  const { close, prune } = statements(db)
  close.run(end.now, end.how, end.note ?? null, id)
  prune.run(KEPT_CLOSED_GAPS - 1)
}

/** What this account lacked is there, or is gone for good. */
export function closeAccountGap(db: WriteDb, uid: number, end: { how: string; now: number }): void {
  const { closeOfAccount, prune } = statements(db)
  if (closeOfAccount.run(end.now, end.how, uid).changes > 0) prune.run(KEPT_CLOSED_GAPS - 1)
}

export function accountRepairing(db: WriteDb, uid: number): void {
  statements(db).repairAccount.run(uid)
}

/** Its server can't be read now: asked again from `until` on. */
export function putOffAccountGap(db: WriteDb, uid: number, until: number): void {
  statements(db).putOffAccount.run(until, uid)
}

export function putOffGap(db: WriteDb, id: number, until: number): void {
  statements(db).putOff.run(until, id)
}

/** Accounts whose gap nothing works on though its time has come. */
export function accountsToRepair(db: Db, now: number, limit: number): number[] {
  return statements(db).idle.all(now, limit)
}
