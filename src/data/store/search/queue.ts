// Changed rows to index for search. Each is queued once.

import type { Db, WriteDb } from '../db.ts'
import { perDatabase } from '../per-database.ts'

export const ACTOR = 1
export const POST = 2
export type SearchKind = typeof ACTOR | typeof POST
/** Only in the backlog: older posts whose mentions must be indexed. */
export const MENTIONS = 3

/** `was`: sort_at under which a post is indexed; null if it is not, and for accounts. */
export type Queued = { id: number; was: number | null }

const statements = perDatabase((db) => ({
  addActor: db.prepare<[number]>(
    `INSERT INTO search_queue (kind, id) SELECT ${ACTOR}, a.uid FROM (SELECT ? AS uid) a
      WHERE EXISTS (SELECT 1 FROM search_actors s WHERE s.uid = a.uid)
      OR EXISTS (SELECT 1 FROM profiles p WHERE p.uid = a.uid)
      OR EXISTS (SELECT 1 FROM actors n WHERE n.uid = a.uid AND n.handle_valid)
      ON CONFLICT DO NOTHING`,
  ),
  // The first entry has the indexed time; later ones only set it if it is missing.
  addPost: db.prepare<[number]>(
    `INSERT INTO search_queue (kind, id, was) SELECT ${POST}, id, sort_at FROM posts WHERE id = ?
      ON CONFLICT DO NOTHING`,
  ),
  addEmptied: db.prepare<[number]>(
    `INSERT INTO search_queue (kind, id, was) SELECT ${POST}, id, sort_at FROM posts
      WHERE id = ? AND sort_at IS NOT NULL ON CONFLICT DO NOTHING`,
  ),
  next: db.prepare<[number, number], Queued>(
    'SELECT id, was FROM search_queue WHERE kind = ? ORDER BY id DESC LIMIT ?',
  ),
  remove: db.prepare<[number, number]>('DELETE FROM search_queue WHERE kind = ? AND id = ?'),
  backlog: db.prepare<[number], number>('SELECT below FROM search_backlog WHERE kind = ?').pluck(),
  setBacklog: db.prepare<[number, number]>('UPDATE search_backlog SET below = ? WHERE kind = ?'),
  endBacklog: db.prepare<[number]>('DELETE FROM search_backlog WHERE kind = ?'),
}))

/**
 * Queues an account whose names or follower count changed. Call after names were added. Most
 * accounts are only referenced and have no names: these are skipped, unless they are indexed.
 */
export function queueActor(db: WriteDb, uid: number): void {
  statements(db).addActor.run(uid)
}

/** Queues a post whose record is new or replaced. Call before its row changes. */
export function queuePost(db: WriteDb, id: number): void {
  statements(db).addPost.run(id)
}

/** Queues a post whose record is removed. Call before its row changes. */
export function queueEmptiedPost(db: WriteDb, id: number): void {
  statements(db).addEmptied.run(id)
}

/** Newest first. */
export function nextQueued(db: Db, kind: SearchKind, limit: number): Queued[] {
  return statements(db).next.all(kind, limit)
}

export function removeQueued(db: WriteDb, kind: SearchKind, id: number): void {
  statements(db).remove.run(kind, id)
}

/** Rows below this have not been read yet; undefined if all were. */
export function searchBacklog(db: Db, kind: SearchKind | typeof MENTIONS): number | undefined {
  return statements(db).backlog.get(kind)
}

/** @param below - undefined: all were read */
export function setSearchBacklog(
  db: WriteDb,
  kind: SearchKind | typeof MENTIONS,
  below: number | undefined,
): void {
  const { setBacklog, endBacklog } = statements(db)
  if (below === undefined) endBacklog.run(kind)
  else setBacklog.run(below, kind)
}
