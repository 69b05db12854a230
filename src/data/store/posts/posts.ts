// app.bsky.feed.post. A row exists as soon as anything points at the post; its state says how much is known
// about it. An id belongs to its key permanently: deletion empties the row, but does not drop it.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import { INVALIDATION } from '../../shared-memory/invalidation-kinds.ts'
import type { Db, WriteDb } from '../db.ts'
import { perDatabase, returning } from '../per-database.ts'
import { dissociate } from '../records/associated-records.ts'
import { queueEmptiedPost, queuePost } from '../search/queue.ts'
import { numberArrival, removeArrival } from '../timelines/arrivals.ts'
import { postItem } from '../timelines/item-ids.ts'
import { invalidationsOf } from '../transact.ts'
import { removeMentions } from './mentions.ts'
import { packRecord, recordColumn, recordText } from './record-bytes.ts'

export const STUB = 0
export const PRESENT = 1
export const DELETED = 2
/** Not found when fetched from its PDS. */
export const MISSING = 3
/** Still counted; its record was dropped for its age, and can be fetched again. */
export const PRUNED = 4

/** Whether the record may be available from its PDS. */
export function isWithoutRecord(state: number): boolean {
  return state === STUB || state === PRUNED
}

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

/**
 * The fields needed to refer to a post. Numbers only: reading them costs a fifth of a whole row.
 */
export type PostHandle = { id: number; uid: number; state: number; flags: number }

type PresentPost = {
  id: number
  uid: number
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
  invalidations: invalidationsOf(db),
  byKey: db.prepare<[number, PackedRkey], PostRow>(
    `SELECT ${COLUMNS} FROM posts WHERE uid = ? AND rkey = ?`,
  ),
  handle: db
    .prepare<[number, PackedRkey], [id: number, state: number, flags: number]>(
      'SELECT id, state, flags FROM posts WHERE uid = ? AND rkey = ?',
    )
    .raw(),
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
  stub: db.prepare<[number]>(
    `UPDATE posts SET state = ${STUB}, rev = NULL, cid = NULL, record = NULL, created_at = NULL,
      indexed_at = NULL, sort_at = NULL, root = NULL, parent = NULL, quote = NULL, flags = 0 WHERE id = ?`,
  ),
  prune: db.prepare<[number]>(
    `UPDATE posts SET state = ${PRUNED}, cid = NULL, record = NULL, created_at = NULL, indexed_at = NULL,
      sort_at = NULL WHERE id = ?`,
  ),
  prunedOf: db
    .prepare<[number, number], number>(
      `SELECT id FROM posts WHERE uid = +? AND state = ${PRUNED} LIMIT +?`,
    )
    .pluck(),
  rowsOf: db.prepare<[number, PackedRkey, number], PostRow>(
    `SELECT ${COLUMNS} FROM posts WHERE uid = +? AND rkey > +? ORDER BY rkey LIMIT +?`,
  ),
  forgetRevs: db.prepare<[number]>('UPDATE posts SET rev = NULL WHERE uid = ? AND rev IS NOT NULL'),
  setFlags: db.prepare<[number, number]>('UPDATE posts SET flags = ? WHERE id = ?'),
  clearFlags: returning(
    db
      .prepare<[number, number, number], number>(
        'UPDATE posts SET flags = flags & ~? WHERE uid = ? AND flags & ? <> 0 RETURNING id',
      )
      .pluck(),
  ),
  record: db
    .prepare<[number], Buffer | string | null>(
      `SELECT ${recordColumn('record')} FROM posts WHERE id = ?`,
    )
    .pluck(),
  children: db.prepare<[number, number], PostRow>(
    `SELECT ${COLUMNS} FROM posts WHERE parent = +? AND state = 1 LIMIT +?`,
  ),
  idsOf: db
    .prepare<[number, number], number>('SELECT id FROM posts WHERE uid = +? AND state = 1 LIMIT +?')
    .pluck(),
  missingOf: db
    .prepare<[number, number], number>(
      `SELECT id FROM posts WHERE uid = +? AND state = ${MISSING} LIMIT +?`,
    )
    .pluck(),
}))

export function findPost(db: Db, uid: number, rkey: PackedRkey): PostRow | undefined {
  return statements(db).byKey.get(uid, rkey)
}

export function findPostHandle(db: Db, uid: number, rkey: PackedRkey): PostHandle | undefined {
  const found = statements(db).handle.get(uid, rkey)
  return found && { id: found[0], uid, state: found[1], flags: found[2] }
}

export function findPostById(db: Db, id: number): PostRow | undefined {
  return statements(db).byId.get(id)
}

/** @returns the new row's id */
export function insertStubPost(db: WriteDb, uid: number, rkey: PackedRkey, flags: number): number {
  const { insertStub, invalidations } = statements(db)
  const id = Number(insertStub.run(uid, rkey, flags).lastInsertRowid)
  invalidations.add(INVALIDATION.post, id)
  return id
}

export function fillPost(db: WriteDb, post: PresentPost): void {
  const { fill, invalidations } = statements(db)
  queuePost(db, post.id)
  fill.run({ ...post, record: packRecord(post.record) })
  numberArrival(db, { uid: post.uid, item: postItem(post.id) })
  invalidations.add(INVALIDATION.post, post.id)
  invalidations.add(INVALIDATION.feed, post.uid)
}

/** Removes data derived from the record. */
function beforeEmptied(db: WriteDb, { id, uid }: Pick<PostRow, 'id' | 'uid'>): void {
  const { invalidations } = statements(db)
  queueEmptiedPost(db, id)
  removeMentions(db, id)
  dissociate(db, id)
  removeArrival(db, postItem(id))
  invalidations.add(INVALIDATION.post, id)
  invalidations.add(INVALIDATION.feed, uid)
}

/** Removes the record; the row stays, as deleted, missing or a stub. */
export function emptyPost(
  db: WriteDb,
  { id, uid }: Pick<PostRow, 'id' | 'uid'>,
  left: { state: number; rev: string | null; flags: number },
): void {
  beforeEmptied(db, { id, uid })
  statements(db).empty.run(left.state, left.rev, left.flags, id)
}

/** Resets the post to a stub, known only because others point at it. */
export function makeStub(db: WriteDb, { id, uid }: Pick<PostRow, 'id' | 'uid'>): void {
  beforeEmptied(db, { id, uid })
  statements(db).stub.run(id)
}

/** Drops only the record: the post's parent, root and quote stay, and it still counts. */
export function prunePost(db: WriteDb, { id, uid }: Pick<PostRow, 'id' | 'uid'>): void {
  beforeEmptied(db, { id, uid })
  statements(db).prune.run(id)
}

/** All posts of an account above this key, in any state. */
export function postRowsOf(
  db: Db,
  uid: number,
  { after, limit }: { after: PackedRkey; limit: number },
): PostRow[] {
  return statements(db).rowsOf.all(uid, after, limit)
}

/** Posts whose records were dropped for their age. */
export function prunedPostIds(db: Db, uid: number, limit = -1): number[] {
  return statements(db).prunedOf.all(uid, limit)
}

/** For posts without records: makes events that were already applied count as new again. */
export function forgetPostRevs(db: WriteDb, uid: number): void {
  statements(db).forgetRevs.run(uid)
}

export function setPostFlags(db: WriteDb, id: number, flags: number): void {
  const { setFlags, invalidations } = statements(db)
  setFlags.run(flags, id)
  invalidations.add(INVALIDATION.post, id)
}

/** The record's JSON, if present. */
export function postRecord(db: Db, id: number): string | undefined {
  return recordText(statements(db).record.get(id) ?? null) ?? undefined
}

export function presentReplies(db: Db, parent: number, limit: number): PostRow[] {
  return statements(db).children.all(parent, limit)
}

export function presentPostIds(db: Db, uid: number, limit = -1): number[] {
  return statements(db).idsOf.all(uid, limit)
}

/** Posts that were fetched and not found. */
export function missingPostIds(db: Db, uid: number, limit: number): number[] {
  return statements(db).missingOf.all(uid, limit)
}

/** Clears these flags on all posts of an account. */
export function clearPostFlagsOf(db: WriteDb, uid: number, flags: number): void {
  const { clearFlags, invalidations } = statements(db)
  for (const id of clearFlags.all(flags, uid, flags)) invalidations.add(INVALIDATION.post, id)
}
