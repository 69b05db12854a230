// The journal of the follow graph since its last snapshot. Written in the transaction of the follow rows, so
// a snapshot that stores the journal's last id can be brought up to date exactly.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

type GraphChange = { creator: number; subject: number; added: boolean }

const statements = perDatabase((db) => ({
  insert: db.prepare<[number, number, number]>(
    'INSERT INTO graph_changes (creator, subject, added) VALUES (?, ?, ?)',
  ),
  join: db.prepare<[number, string]>(
    'INSERT INTO graph_changes (creator, subject, added) SELECT ?, value, 1 FROM json_each(?)',
  ),
  after: db
    .prepare<[number], [number, number, number, number]>(
      'SELECT creator, subject, added, id FROM graph_changes WHERE id > ? ORDER BY id',
    )
    .raw(),
  last: db
    .prepare<[], number | null>(
      "SELECT max(coalesce((SELECT max(id) FROM graph_changes), 0), coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'graph_changes'), 0))",
    )
    .pluck(),
  count: db
    .prepare<[number], number>('SELECT count(*) FROM (SELECT 1 FROM graph_changes LIMIT +?)')
    .pluck(),
  prune: db.prepare<[number, number]>(
    'DELETE FROM graph_changes WHERE id IN (SELECT id FROM graph_changes WHERE id <= +? LIMIT +?)',
  ),
}))

export function insertGraphChange(db: WriteDb, change: GraphChange): void {
  statements(db).insert.run(change.creator, change.subject, change.added ? 1 : 0)
}

/** Journals new follow pairs of one account. */
export function insertGraphJoins(db: WriteDb, creator: number, subjects: readonly number[]): void {
  statements(db).join.run(creator, JSON.stringify(subjects))
}

/** Changes after `id`: creator, subject, 1 for added, id. Occupies the connection meanwhile. */
export function iterateGraphChanges(
  db: Db,
  id: number,
): IterableIterator<[number, number, number, number]> {
  return statements(db).after.iterate(id)
}

/** The highest id ever assigned; 0 before the first. */
export function lastGraphChange(db: Db): number {
  return statements(db).last.get() ?? 0
}

/** Number of entries, counted up to `limit`. */
export function countGraphChanges(db: Db, limit: number): number {
  return statements(db).count.get(limit) ?? 0
}

/**
 * Removes changes up to that id, at most `limit`.
 * @returns how many
 */
export function pruneGraphChanges(
  db: WriteDb,
  upTo: number,
  limit: number = Number.MAX_SAFE_INTEGER,
): number {
  return statements(db).prune.run(upTo, limit).changes
}
