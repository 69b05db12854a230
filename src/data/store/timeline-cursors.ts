// Positions that readers of timelines asked us to store.

import type { Db, WriteDb } from './db.ts'
import { perDatabase } from './per-database.ts'

type KeptCursor = { cursor: string; updatedAt: number }

const statements = perDatabase((db) => ({
  find: db.prepare<[string, string], KeptCursor>(
    'SELECT cursor, updated_at AS updatedAt FROM timeline_cursors WHERE reader = ? AND timeline = ?',
  ),
  count: db
    .prepare<[string], number>('SELECT count(*) FROM timeline_cursors WHERE reader = ?')
    .pluck(),
  put: db.prepare<[string, string, string, number]>(
    `INSERT INTO timeline_cursors (reader, timeline, cursor, updated_at) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET cursor = excluded.cursor, updated_at = excluded.updated_at`,
  ),
}))

export function findKeptCursor(db: Db, reader: string, timeline: string): KeptCursor | undefined {
  return statements(db).find.get(reader, timeline)
}

export function countKeptCursors(db: Db, reader: string): number {
  return statements(db).count.get(reader) ?? 0
}

export function keepCursor(
  db: WriteDb,
  { reader, timeline, cursor }: { reader: string; timeline: string; cursor: string },
  now: number,
): void {
  statements(db).put.run(reader, timeline, cursor, now)
}
