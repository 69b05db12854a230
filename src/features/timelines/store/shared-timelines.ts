// How far this node has followed the logs of timelines that the nodes share on an engine.

import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'

/** A shared timeline: its engine and its name. */
export type SharedTimeline = { place: string; name: string }

const statements = perDatabase((db) => ({
  find: db
    .prepare<[string, string], number>(
      'SELECT version FROM shared_timelines WHERE name = ? AND place = ?',
    )
    .pluck(),
  put: db.prepare<[string, string, number]>(
    'INSERT OR REPLACE INTO shared_timelines VALUES (?, ?, ?)',
  ),
}))

/** The last entry applied; 0: none. */
export function followedVersion(db: Db, { name, place: clusterId }: SharedTimeline): number {
  return statements(db).find.get(name, clusterId) ?? 0
}

export function setFollowedVersion(
  db: WriteDb,
  { name, place: clusterId }: SharedTimeline,
  version: number,
): void {
  statements(db).put.run(name, clusterId, version)
}
