// Applies backfill's findings about a single post that was only referenced so far.

import {
  emptyPost,
  findPostById,
  isWithoutRecord,
  MISSING,
  PRUNED,
} from '../../../data/store/posts/posts.ts'
import type { IndexContext } from '../index-context.ts'
import { retractPost } from './retract-post.ts'

/** Its PDS has no such record. A record that arrives later still fills the row. */
export function markPostMissing(ctx: IndexContext, post: number): void {
  const row = findPostById(ctx.db, post)
  if (!row || !isWithoutRecord(row.state)) return
  if (row.state === PRUNED) retractPost(ctx, row)
  emptyPost(ctx.db, row, { state: MISSING, rev: null, flags: row.flags })
}
