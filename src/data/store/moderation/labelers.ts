// Labelers named by members' requests: how far the stream of each was applied, how many of its labels are
// kept, and which are quarantined because their streams broke a limit or the process.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

export type LabelerRow = {
  uid: number
  named_at: number
  cursor: number | null
  /**
   * actors.uid of the member who named it first; 0: one who left; null if none did, or before this
   * was recorded.
   */
  named_by: number | null
  /** Number of its labels, as far as counted. */
  kept: number
  /** Milliseconds: since when its stream is another one than before; null if it never changed. */
  begun_at: number | null
  open_since: number | null
  strikes: number
  quarantined_until: number | null
  quarantine_reason: string | null
}

type QuarantinedLabeler = { did: string; reason: string; until: number; strikes: number }

const statements = perDatabase((db) => ({
  all: db.prepare<[], LabelerRow>('SELECT * FROM labelers ORDER BY named_at DESC, uid'),
  one: db.prepare<[number], LabelerRow>('SELECT * FROM labelers WHERE uid = ?'),
  name: db.prepare<[number, number, number | null]>(
    `INSERT INTO labelers (uid, named_at, named_by) VALUES (?, ?, ?)
    ON CONFLICT (uid) DO UPDATE SET named_at = max(named_at, excluded.named_at),
      named_by = coalesce(nullif(named_by, 0), excluded.named_by, named_by)`,
  ),
  move: db.prepare<[number, number]>('UPDATE labelers SET cursor = ? WHERE uid = ?'),
  begin: db.prepare<[number, number]>(
    'UPDATE labelers SET cursor = NULL, begun_at = ? WHERE uid = ?',
  ),
  keep: db.prepare<[number, number]>('UPDATE labelers SET kept = max(kept + ?, 0) WHERE uid = ?'),
  count: db.prepare<[number, number]>('UPDATE labelers SET kept = ? WHERE uid = ?'),
  open: db.prepare<[number | null, number]>('UPDATE labelers SET open_since = ? WHERE uid = ?'),
  quarantine: db.prepare<[string, number, number]>(
    `UPDATE labelers SET strikes = strikes + 1, open_since = NULL, quarantine_reason = ?,
      quarantined_until = ? WHERE uid = ?`,
  ),
  clear: db.prepare<[number]>(
    `UPDATE labelers SET strikes = 0, quarantined_until = NULL, quarantine_reason = NULL
    WHERE uid = ?`,
  ),
  quarantined: db.prepare<[number], QuarantinedLabeler>(
    `SELECT a.did, l.quarantine_reason AS reason, l.quarantined_until AS until, l.strikes
    FROM labelers l JOIN actors a USING (uid) WHERE l.quarantined_until > ? ORDER BY a.did`,
  ),
  disown: db.prepare<[number]>('UPDATE labelers SET named_by = 0 WHERE named_by = ?'),
  remove: db.prepare<[number]>('DELETE FROM labelers WHERE uid = ?'),
}))

/** The most recently named first. */
export function allLabelers(db: Db): LabelerRow[] {
  return statements(db).all.all()
}

export function labelerRow(db: Db, uid: number): LabelerRow | undefined {
  return statements(db).one.get(uid)
}

/** @param by - actors.uid of the member whose request names it; the first is stored */
export function nameLabeler(db: WriteDb, uid: number, now: number, by: number | null = null): void {
  statements(db).name.run(uid, now, by)
}

/** @param cursor - seq */
export function moveLabelerCursor(db: WriteDb, uid: number, cursor: number): void {
  statements(db).move.run(cursor, uid)
}

/** Its stream starts over, as one that knows nothing of what came before `at`. */
export function beginLabelerAnew(db: WriteDb, uid: number, at: number): void {
  statements(db).begin.run(at, uid)
}

/** Adds to the count of its kept labels. */
export function addStoredLabels(db: WriteDb, uid: number, count: number): void {
  statements(db).keep.run(count, uid)
}

/** Sets the count of its kept labels, as counted. */
export function setStoredLabels(db: WriteDb, uid: number, count: number): void {
  statements(db).count.run(count, uid)
}

/** @param since - milliseconds; null: its stream is closed */
export function markLabelerOpen(db: WriteDb, uid: number, since: number | null): void {
  statements(db).open.run(since, uid)
}

/** Adds a strike, and blocks connections until then. */
export function quarantineLabeler(
  db: WriteDb,
  uid: number,
  { reason, until }: { reason: string; until: number },
): void {
  statements(db).quarantine.run(reason, until, uid)
}

/** Clears its strikes and quarantine. */
export function clearLabelerStrikes(db: WriteDb, uid: number): void {
  statements(db).clear.run(uid)
}

export function quarantinedLabelers(db: Db, now: number): QuarantinedLabeler[] {
  return statements(db).quarantined.all(now)
}

/** Forgets that a member named them; those of all who left share one member's limits. */
export function disownLabelers(db: WriteDb, member: number): void {
  statements(db).disown.run(member)
}

/** Its labels are removed bit by bit (label-sweep). */
export function deleteLabeler(db: WriteDb, uid: number): void {
  statements(db).remove.run(uid)
}
