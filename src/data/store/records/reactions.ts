// Reposts of a post and of an account, page by page, for callers that walk all of them.

import type { PackedRkey } from '../../../base/atproto/keys.ts'
import type { Db } from '../db.ts'
import { perDatabase } from '../per-database.ts'

export type RepostKey = { id: number; uid: number; rkey: PackedRkey; subject: number }

const statements = perDatabase((db) => ({
  // Paging by row id would sort every page, so pages follow the index, creator by creator.
  ofPost: db.prepare<[number, number, number], RepostKey>(
    `SELECT id, uid, rkey, subject FROM reposts WHERE subject = +? AND uid > +? ORDER BY uid LIMIT +?`,
  ),
  ofAccount: db.prepare<[number, PackedRkey, number], RepostKey>(
    `SELECT id, uid, rkey, subject FROM reposts WHERE uid = +? AND rkey > +? ORDER BY rkey LIMIT +?`,
  ),
  newest: db.prepare<[number, number], Pick<RepostKey, 'id' | 'uid'>>(
    'SELECT id, uid FROM reposts WHERE subject = ? ORDER BY sort_at DESC LIMIT ?',
  ),
}))

/**
 * Ascending by account, above `after`. The end of a page may cut off some of an account's reposts.
 */
export function repostsOfPost(
  db: Db,
  post: number,
  { after, limit }: { after: number; limit: number },
): RepostKey[] {
  return statements(db).ofPost.all(post, after, limit)
}

export function newestReposts(
  db: Db,
  post: number,
  limit: number,
): Pick<RepostKey, 'id' | 'uid'>[] {
  return statements(db).newest.all(post, limit)
}

/** Ascending by record key, above `after`. */
export function repostsOfAccount(
  db: Db,
  uid: number,
  { after, limit }: { after: PackedRkey; limit: number },
): RepostKey[] {
  return statements(db).ofAccount.all(uid, after, limit)
}
