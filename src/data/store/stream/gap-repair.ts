// Progress and outcome of a gap's repair. Written in the transaction of the repaired rows, so a repair
// continues where it was interrupted.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'
import { RETAINED_CLOSED_GAPS } from './gaps.ts'

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

/** After the clock was set back by this many milliseconds: no repair waits longer because of it. */
export function bringGapsForward(db: WriteDb, byMs: number): void {
  statements(db).bringForward.run(Math.round(byMs))
}

type SweepingGap = { id: number; fromUs: number; toUs: number }

/** The one gap of the stream for which repositories are being compared. */
export function sweepingGap(db: Db): SweepingGap | undefined {
  return statements(db).sweeping.get()
}

/** Marks the gap as under repair, at this step and place. */
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

/** Counts one more repository as compared or unreachable. */
export function countCompared(db: WriteDb, id: number, isReached: boolean): void {
  statements(db).tally.run(1, isReached ? 0 : 1, id)
}

/** Repairs `other` together with `id` from now on. */
export function absorbGap(db: WriteDb, id: number, other: { id: number; now: number }): void {
  const { absorb, close } = statements(db)
  absorb.run({ into: id, id: other.id })
  close.run(other.now, `together with ${id}`, null, other.id)
}

/**
 * Splits off the part before `windowUs`, which can't be replayed, as a gap whose repositories are
 * compared.
 */
export function splitGap(db: WriteDb, id: number, windowUs: number): void {
  const { window, begin } = statements(db)
  window.run({ id, window: windowUs })
  begin.run(windowUs, id)
}

/** For a gap that no replay can close: repositories must be compared. */
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
  prune.run(RETAINED_CLOSED_GAPS - 1)
}

/** Closes the account's gap: its missing records are here or permanently gone. */
export function closeAccountGap(db: WriteDb, uid: number, end: { how: string; now: number }): void {
  const { closeOfAccount, prune } = statements(db)
  if (closeOfAccount.run(end.now, end.how, uid).changes > 0) prune.run(RETAINED_CLOSED_GAPS - 1)
}

export function accountRepairing(db: WriteDb, uid: number): void {
  statements(db).repairAccount.run(uid)
}

/** Retries the account from `until` on, because its server can't be read now. */
export function putOffAccountGap(db: WriteDb, uid: number, until: number): void {
  statements(db).putOffAccount.run(until, uid)
}

export function putOffGap(db: WriteDb, id: number, until: number): void {
  statements(db).putOff.run(until, id)
}

/** Accounts with a gap whose retry is due and without a job for it. */
export function accountsToRepair(db: Db, now: number, limit: number): number[] {
  return statements(db).idle.all(now, limit)
}
