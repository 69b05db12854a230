// The last deletion or change of a key. Rows of likes, follows and similar records have no rev, so tombstones
// identify late events. Pruned once no stream can replay that far back.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

type Tombstone = { rev: string; deleted_at: number }

const statements = perDatabase((db) => ({
  find: db.prepare<[number, number, PackedRkey], Tombstone>(
    'SELECT rev, deleted_at FROM tombstones WHERE uid = ? AND collection = ? AND rkey = ?',
  ),
  put: db.prepare<[number, number, PackedRkey, string, number]>(
    `INSERT INTO tombstones (uid, collection, rkey, rev, deleted_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET rev = max(rev, excluded.rev), deleted_at = excluded.deleted_at`,
  ),
  lower: db.prepare<[string, number, number, PackedRkey]>(
    'UPDATE tombstones SET rev = ? WHERE uid = ? AND collection = ? AND rkey = ?',
  ),
  hasAny: db
    .prepare<[number, number], number>(
      'SELECT 1 FROM tombstones WHERE uid = ? AND collection = ? LIMIT 1',
    )
    .pluck(),
  keys: db.prepare<[], RecordKey>('SELECT uid, collection, rkey FROM tombstones'),
  removeOf: db.prepare<[number]>('DELETE FROM tombstones WHERE uid = ?'),
  prune: db.prepare<[number, number]>(
    `DELETE FROM tombstones WHERE (uid, collection, rkey) IN
      (SELECT uid, collection, rkey FROM tombstones WHERE deleted_at < +? LIMIT +?)`,
  ),
}))

export type RecordKey = { uid: number; collection: number; rkey: PackedRkey }

export function findTombstone(db: Db, key: RecordKey): Tombstone | undefined {
  return statements(db).find.get(key.uid, key.collection, key.rkey)
}

/** Whether any record of this account and collection was deleted or changed. */
export function hasTombstone(db: Db, uid: number, collection: number): boolean {
  return statements(db).hasAny.get(uid, collection) !== undefined
}

export function putTombstone(db: WriteDb, key: RecordKey, stone: Tombstone): void {
  statements(db).put.run(key.uid, key.collection, key.rkey, stone.rev, stone.deleted_at)
}

/** Where a later revision turned out to be made up. */
export function lowerTombstone(
  db: WriteDb,
  { uid, collection, rkey }: RecordKey,
  rev: string,
): void {
  statements(db).lower.run(rev, uid, collection, rkey)
}

/** Occupies the connection meanwhile. */
export function iterateTombstoneKeys(db: Db): IterableIterator<RecordKey> {
  return statements(db).keys.iterate()
}

/** Makes events for its keys count as new again. */
export function deleteTombstonesOf(db: WriteDb, uid: number): void {
  statements(db).removeOf.run(uid)
}

/**
 * @returns how many were deleted; fewer than `limit` means that none older than `before` is left
 */
export function pruneTombstones(db: WriteDb, before: number, limit: number): number {
  return statements(db).prune.run(before, limit).changes
}
