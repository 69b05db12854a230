// Posts in order of arrival, for the search for old ones; how far that search has got; and the time before
// which reactions may have been pruned.

import { collectionCodes } from '../../../base/atproto/collections.ts'
import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db, WriteDb } from '../db.ts'
import { findMeta, putMeta } from '../meta-values.ts'
import { perDatabase } from '../per-database.ts'
import type { RepostRow } from '../records/reposts.ts'

const POST = collectionCodes['app.bsky.feed.post']
const PRUNED_BEFORE = 'retention.pruned_before'
const REACHED = 'retention.reached'

export type OldPost = {
  id: number
  uid: number
  rkey: PackedRkey
  state: number
  flags: number
  sort_at: number | null
}

const statements = perDatabase((db) => ({
  after: db.prepare<[number, number], OldPost>(
    'SELECT id, uid, rkey, state, flags, sort_at FROM posts WHERE id > ? ORDER BY id LIMIT ?',
  ),
  oldReposts: db.prepare<
    [number, number, number],
    Pick<RepostRow, 'id' | 'uid' | 'rkey' | 'subject'>
  >('SELECT id, uid, rkey, subject FROM reposts WHERE subject = +? AND sort_at < +? LIMIT +?'),
  hasNotified: db
    .prepare<[number, PackedRkey], number>(
      `SELECT 1 FROM notifications WHERE author = ? AND collection = ${POST} AND rkey = ? LIMIT 1`,
    )
    .pluck(),
}))

/** In id order. */
export function postsAfter(db: Db, id: number, limit: number): OldPost[] {
  return statements(db).after.all(id, limit)
}

/** Reposts of a post older than a time, in arbitrary order. */
export function repostsBefore(
  db: Db,
  post: number,
  { before, limit }: { before: number; limit: number },
): Pick<RepostRow, 'id' | 'uid' | 'rkey' | 'subject'>[] {
  return statements(db).oldReposts.all(post, before, limit)
}

/** Whether the post caused a notification. */
export function hasNotifiedAnybody(db: Db, { uid, rkey }: Pick<OldPost, 'uid' | 'rkey'>): boolean {
  return statements(db).hasNotified.get(uid, rkey) !== undefined
}

/** Milliseconds since 1970; 0 if none were ever pruned. */
export function reactionsPrunedBefore(db: Db): number {
  return findMeta<number>(db, PRUNED_BEFORE) ?? 0
}

export function setReactionsPrunedBefore(db: WriteDb, at: number): void {
  putMeta(db, PRUNED_BEFORE, at)
}

/** posts.id up to which posts were examined. */
export function pruningReached(db: Db): number {
  return findMeta<number>(db, REACHED) ?? 0
}

export function setPruningReached(db: WriteDb, post: number): void {
  putMeta(db, REACHED, post)
}
