// Where members stopped reading: one place for each timeline, at most MAX_TIMELINES of them; the one that was
// not read for the longest time gives way.

import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'

const MAX_TIMELINES = 50

type Position = { position: string; updatedAt: number }
type Row = Position & { uid: number; timeline: string }

const statements = perDatabase((db) => ({
  find: db.prepare<[number, string], Position>(
    `SELECT position, updated_at AS updatedAt FROM reading_positions WHERE uid = ? AND timeline = ?`,
  ),
  of: db.prepare<[number], Position & { timeline: string }>(
    `SELECT timeline, position, updated_at AS updatedAt FROM reading_positions WHERE uid = ?
      ORDER BY updated_at`,
  ),
  // Times of one member differ, so that the one put last is never the one to give way.
  put: db.prepare<[Row]>(
    `INSERT INTO reading_positions (uid, timeline, position, updated_at)
      SELECT @uid, @timeline, @position, max(@updatedAt, coalesce(max(updated_at) + 1, 0))
        FROM reading_positions WHERE uid = @uid
      ON CONFLICT DO UPDATE SET position = excluded.position, updated_at = excluded.updated_at`,
  ),
  restore: db.prepare<[Row]>(
    `INSERT INTO reading_positions (uid, timeline, position, updated_at)
      VALUES (@uid, @timeline, @position, @updatedAt)
      ON CONFLICT DO UPDATE SET position = excluded.position, updated_at = excluded.updated_at`,
  ),
  trim: db.prepare<[{ uid: number; most: number }]>(
    `DELETE FROM reading_positions WHERE uid = @uid AND timeline NOT IN
      (SELECT timeline FROM reading_positions WHERE uid = @uid ORDER BY updated_at DESC, timeline LIMIT @most)`,
  ),
}))

export function findPosition(db: Db, uid: number, timeline: string): Position | undefined {
  return statements(db).find.get(uid, timeline)
}

/** The one put last comes last. */
export function positionsOf(db: Db, uid: number): (Position & { timeline: string })[] {
  return statements(db).of.all(uid)
}

export function putPosition(db: WriteDb, row: Row): void {
  statements(db).put.run(row)
  statements(db).trim.run({ uid: row.uid, most: MAX_TIMELINES })
}

/** Puts one of a document as of the time it has there. */
export function restorePosition(db: WriteDb, row: Row): void {
  statements(db).restore.run(row)
  statements(db).trim.run({ uid: row.uid, most: MAX_TIMELINES })
}
