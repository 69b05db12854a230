// Labelers that members' requests name, and how far the stream of each was applied.

import type { Db } from './db.ts'
import { perDatabase } from './per-database.ts'

export type LabelerRow = { uid: number; named_at: number; cursor: number | null }

const statements = perDatabase((db) => ({
  all: db.prepare<[], LabelerRow>('SELECT * FROM labelers ORDER BY named_at DESC, uid'),
  name: db.prepare<[number, number]>(
    `INSERT INTO labelers (uid, named_at) VALUES (?, ?)
    ON CONFLICT (uid) DO UPDATE SET named_at = max(named_at, excluded.named_at)`,
  ),
  move: db.prepare<[number | null, number]>('UPDATE labelers SET cursor = ? WHERE uid = ?'),
  remove: db.prepare<[number]>('DELETE FROM labelers WHERE uid = ?'),
}))

/** The one named last comes first. */
export function allLabelers(db: Db): LabelerRow[] {
  return statements(db).all.all()
}

export function nameLabeler(db: Db, uid: number, now: number): void {
  statements(db).name.run(uid, now)
}

/** @param cursor - seq; null: the stream begins anew. */
export function moveLabelerCursor(db: Db, uid: number, cursor: number | null): void {
  statements(db).move.run(cursor, uid)
}

/** Its labels stay. */
export function deleteLabeler(db: Db, uid: number): void {
  statements(db).remove.run(uid)
}
