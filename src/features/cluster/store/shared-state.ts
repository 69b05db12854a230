// How far this node has applied a member's private state that nodes share on an engine.

import type { Db, WriteDb } from '../../../data/store/db.ts'
import { perDatabase } from '../../../data/store/per-database.ts'

const statements = perDatabase((db) => ({
  find: db
    .prepare<[number, string], number>(
      'SELECT version FROM shared_state WHERE uid = ? AND place = ?',
    )
    .pluck(),
  put: db.prepare<[number, string, number]>('INSERT OR REPLACE INTO shared_state VALUES (?, ?, ?)'),
}))

/** Number of the latest change applied; undefined if none of that engine ever was. */
export function sharedVersion(db: Db, uid: number, clusterId: string): number | undefined {
  return statements(db).find.get(uid, clusterId)
}

export function setSharedVersion(
  db: WriteDb,
  uid: number,
  clusterId: string,
  version: number,
): void {
  statements(db).put.run(uid, clusterId, version)
}
