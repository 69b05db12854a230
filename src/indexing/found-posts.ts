// What the backfill room found out about a single post that was only pointed at.

import type { Db } from '../store/db.ts'
import { unpackRkey } from '../store/keys.ts'
import { emptyPost, findPostById, MISSING, STUB } from '../store/posts.ts'
import type { IndexContext } from './index-context.ts'

/** Whether the post's record is still to be found, and under which key. */
export function stubToFind(db: Db, post: number): { uid: number; rkey: string } | undefined {
  const row = findPostById(db, post)
  return row?.state === STUB ? { uid: row.uid, rkey: unpackRkey(row.rkey) } : undefined
}

/** Its PDS says that there is no such record. A record that arrives later still fills the row. */
export function markPostMissing(ctx: IndexContext, post: number): void {
  const row = findPostById(ctx.db, post)
  if (row?.state !== STUB) return
  emptyPost(ctx.db, row, { state: MISSING, rev: null, flags: row.flags })
}
