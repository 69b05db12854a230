// app.bsky.feed.post. A row exists as soon as anything points at the post; its state says what is
// known of it. Ids stay with their key for ever: deletion empties the row, it does not drop it.

import type { Db } from './db.ts'
import type { PackedRkey } from './keys.ts'
import { perDatabase } from './per-database.ts'

export const STUB = 0
export const PRESENT = 1
export const DELETED = 2
/** Looked for at its PDS and not there. */
export const MISSING = 3

export type PostRow = {
  id: number
  uid: number
  rkey: PackedRkey
  state: number
  cid: Buffer | null
  rev: string | null
  sort_at: number | null
  root: number | null
  parent: number | null
  quote: number | null
  flags: number
}

export type PresentPost = {
  id: number
  cid: Buffer
  rev: string | null
  record: Buffer
  created_at: number
  indexed_at: number
  sort_at: number
  root: number | null
  parent: number | null
  quote: number | null
  flags: number
}

const COLUMNS = 'id, uid, rkey, state, cid, rev, sort_at, root, parent, quote, flags'

const statements = perDatabase((db) => ({
  byKey: db.prepare<[number, PackedRkey], PostRow>(
    `SELECT ${COLUMNS} FROM posts WHERE uid = ? AND rkey = ?`,
  ),
  byId: db.prepare<[number], PostRow>(`SELECT ${COLUMNS} FROM posts WHERE id = ?`),
  insertStub: db.prepare<[number, PackedRkey, number]>(
    'INSERT INTO posts (uid, rkey, state, flags) VALUES (?, ?, 0, ?)',
  ),
  fill: db.prepare<[PresentPost]>(
    `UPDATE posts SET state = 1, cid = @cid, rev = @rev, record = @record, created_at = @created_at,
      indexed_at = @indexed_at, sort_at = @sort_at, root = @root, parent = @parent, quote = @quote,
      flags = @flags WHERE id = @id`,
  ),
  empty: db.prepare<[number, string | null, number, number]>(
    `UPDATE posts SET state = ?, rev = coalesce(?, rev), cid = NULL, record = NULL, created_at = NULL, indexed_at = NULL,
      sort_at = NULL, root = NULL, parent = NULL, quote = NULL, flags = ? WHERE id = ?`,
  ),
  setFlags: db.prepare<[number, number]>('UPDATE posts SET flags = ? WHERE id = ?'),
  clearFlags: db.prepare<[number, number, number]>(
    'UPDATE posts SET flags = flags & ~? WHERE uid = ? AND flags & ? <> 0',
  ),
  record: db.prepare<[number], Buffer | null>('SELECT record FROM posts WHERE id = ?').pluck(),
  children: db.prepare<[number, number], PostRow>(
    `SELECT ${COLUMNS} FROM posts WHERE parent = ? AND state = 1 LIMIT ?`,
  ),
  idsOf: db.prepare<[number], number>('SELECT id FROM posts WHERE uid = ? AND state = 1').pluck(),
  missingOf: db
    .prepare<[number, number], number>(
      `SELECT id FROM posts WHERE uid = ? AND state = ${MISSING} LIMIT ?`,
    )
    .pluck(),
}))

export function findPost(db: Db, uid: number, rkey: PackedRkey): PostRow | undefined {
  return statements(db).byKey.get(uid, rkey)
}

export function findPostById(db: Db, id: number): PostRow | undefined {
  return statements(db).byId.get(id)
}

/** @returns the new row's id. */
export function insertStubPost(db: Db, uid: number, rkey: PackedRkey, flags: number): number {
  return Number(statements(db).insertStub.run(uid, rkey, flags).lastInsertRowid)
}

export function fillPost(db: Db, post: PresentPost): void {
  statements(db).fill.run(post)
}

/** Takes the record away; the row stays, as deleted, missing or a stub. */
export function emptyPost(
  db: Db,
  id: number,
  left: { state: number; rev: string | null; flags: number },
): void {
  statements(db).empty.run(left.state, left.rev, left.flags, id)
}

export function setPostFlags(db: Db, id: number, flags: number): void {
  statements(db).setFlags.run(flags, id)
}

/** The record's JSON, where it is present. */
export function postRecord(db: Db, id: number): Buffer | undefined {
  return statements(db).record.get(id) ?? undefined
}

export function presentReplies(db: Db, parent: number, limit: number): PostRow[] {
  return statements(db).children.all(parent, limit)
}

export function presentPostIds(db: Db, uid: number): number[] {
  return statements(db).idsOf.all(uid)
}

/** Posts that were looked for and not found. */
export function missingPostIds(db: Db, uid: number, limit: number): number[] {
  return statements(db).missingOf.all(uid, limit)
}

/** Takes these flags from all posts of an account. */
export function clearPostFlagsOf(db: Db, uid: number, flags: number): void {
  statements(db).clearFlags.run(flags, uid, flags)
}
