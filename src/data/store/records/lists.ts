// app.bsky.graph.list. Like a post, a list has a row as soon as anything points at it; `cid` is NULL while
// its record is missing.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase, returning } from '../per-database.ts'
import { invalidationsOf } from '../transact.ts'

export type ListRow = { id: number; uid: number; cid: Buffer | null; rev: string | null }

type ListContent = {
  id: number
  uid: number
  cid: Buffer
  rev: string | null
  purpose: string
  record: Buffer
  sort_at: number
}

const statements = perDatabase((db) => ({
  invalidations: invalidationsOf(db),
  byKey: db.prepare<[number, PackedRkey], ListRow>(
    'SELECT id, uid, cid, rev FROM lists WHERE uid = ? AND rkey = ?',
  ),
  keyOf: db.prepare<[number], { uid: number; rkey: PackedRkey }>(
    'SELECT uid, rkey FROM lists WHERE id = ?',
  ),
  insertStub: db.prepare<[number, PackedRkey]>('INSERT INTO lists (uid, rkey) VALUES (?, ?)'),
  fill: db.prepare<[ListContent]>(
    'UPDATE lists SET cid = @cid, rev = @rev, purpose = @purpose, record = @record, sort_at = @sort_at WHERE id = @id',
  ),
  empty: db.prepare<[string | null, number]>(
    'UPDATE lists SET cid = NULL, rev = coalesce(?, rev), purpose = NULL, record = NULL, sort_at = NULL WHERE id = ?',
  ),
  emptyAll: returning(
    db
      .prepare<[number], number>(
        'UPDATE lists SET cid = NULL, purpose = NULL, record = NULL, sort_at = NULL WHERE uid = ? RETURNING id',
      )
      .pluck(),
  ),
  isInUse: db
    .prepare<[{ list: number }], number>(
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM list_blocks WHERE list = @list)
        OR EXISTS (SELECT 1 FROM list_mutes WHERE list = @list)`,
    )
    .pluck(),
}))

export function findList(db: Db, uid: number, rkey: PackedRkey): ListRow | undefined {
  return statements(db).byKey.get(uid, rkey)
}

export function findListKey(db: Db, id: number): { uid: number; rkey: PackedRkey } | undefined {
  return statements(db).keyOf.get(id)
}

/** @returns the new row's id */
export function insertStubList(db: WriteDb, uid: number, rkey: PackedRkey): number {
  const id = Number(statements(db).insertStub.run(uid, rkey).lastInsertRowid)
  note(db, id, uid)
  return id
}

export function fillList(db: WriteDb, content: ListContent): void {
  statements(db).fill.run(content)
  note(db, content.id, content.uid)
}

/** Removes the record; the row stays. */
export function emptyList(
  db: WriteDb,
  { id, uid }: Pick<ListRow, 'id' | 'uid'>,
  rev: string | null,
): void {
  statements(db).empty.run(rev, id)
  note(db, id, uid)
}

export function emptyListsOf(db: WriteDb, uid: number): void {
  for (const id of statements(db).emptyAll.all(uid)) note(db, id, uid)
}

/** A list used for blocks or mutes affects relations to everyone on it. */
function note(db: Db, id: number, uid: number): void {
  const { isInUse, invalidations } = statements(db)
  invalidations.add(INVALIDATION.list, id)
  invalidations.add(INVALIDATION.actorCounts, uid)
  if (isInUse.get({ list: id }) !== undefined) invalidations.addEverything()
}
