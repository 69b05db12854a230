// app.bsky.graph.list. Like a post, a list has a row as soon as anything points at it; `cid` is
// NULL while its record is not here.

import type { Db } from './db.ts'
import type { PackedRkey } from './keys.ts'
import { perDatabase } from './per-database.ts'

export type ListRow = { id: number; uid: number; cid: Buffer | null; rev: string | null }

export type ListContent = {
  id: number
  cid: Buffer
  rev: string | null
  purpose: string
  record: Buffer
  sort_at: number
}

const statements = perDatabase((db) => ({
  byKey: db.prepare<[number, PackedRkey], ListRow>(
    'SELECT id, uid, cid, rev FROM lists WHERE uid = ? AND rkey = ?',
  ),
  insertStub: db.prepare<[number, PackedRkey]>('INSERT INTO lists (uid, rkey) VALUES (?, ?)'),
  fill: db.prepare<[ListContent]>(
    'UPDATE lists SET cid = @cid, rev = @rev, purpose = @purpose, record = @record, sort_at = @sort_at WHERE id = @id',
  ),
  empty: db.prepare<[string | null, number]>(
    'UPDATE lists SET cid = NULL, rev = coalesce(?, rev), purpose = NULL, record = NULL, sort_at = NULL WHERE id = ?',
  ),
  emptyAll: db.prepare<[number]>(
    'UPDATE lists SET cid = NULL, purpose = NULL, record = NULL, sort_at = NULL WHERE uid = ?',
  ),
}))

export function findList(db: Db, uid: number, rkey: PackedRkey): ListRow | undefined {
  return statements(db).byKey.get(uid, rkey)
}

/** @returns the new row's id. */
export function insertStubList(db: Db, uid: number, rkey: PackedRkey): number {
  return Number(statements(db).insertStub.run(uid, rkey).lastInsertRowid)
}

export function fillList(db: Db, content: ListContent): void {
  statements(db).fill.run(content)
}

/** Takes the record away; the row stays. */
export function emptyList(db: Db, id: number, rev: string | null): void {
  statements(db).empty.run(rev, id)
}

export function emptyListsOf(db: Db, uid: number): void {
  statements(db).emptyAll.run(uid)
}
