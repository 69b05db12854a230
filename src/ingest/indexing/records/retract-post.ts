// Undoes the effects of a post that is removed: its counts, its notifications and its place in timelines.

import { digestRank } from '../../../base/atproto/keys.ts'
import { removeOpReply } from '../../../data/store/posts/op-replies.ts'
import { ANCHOR, VIOLATES_THREADGATE } from '../../../data/store/posts/post-flags.ts'
import { type PostRow, PRESENT } from '../../../data/store/posts/posts.ts'
import { postItem } from '../../../data/store/timelines/item-ids.ts'
import { actorCounts, type IndexContext, postCounts } from '../index-context.ts'
import { POST, withdrawNotifications } from '../notifications/notify.ts'
import { addPostCandidates, isOrWasAuthor } from './gc-posts.ts'

/** Takes back a counted post's share of counts. The caller then empties or refills its row. */
export function retractPost(ctx: IndexContext, row: PostRow): void {
  actorCounts(ctx, row.uid).posts--
  const isReason = (row.flags & ANCHOR) !== 0 || isOrWasAuthor(ctx, row.uid)
  if (isReason) addPostCandidates(ctx, [row.root, row.parent, row.quote])
  withdrawNotifications(ctx, { uid: row.uid, collection: POST, rkey: row.rkey })
  if (row.parent !== null && !(row.flags & VIOLATES_THREADGATE)) {
    postCounts(ctx, row.parent).replies--
  }
  if (row.quote !== null) postCounts(ctx, row.quote).quotes--
  if (row.root !== null) removeOpReply(ctx.db, { root: row.root, post: row.id }, ctx.now)
  if (row.state !== PRESENT) return
  const position = { item: postItem(row.id), sortAt: row.sort_at!, rank: digestRank(row.cid!) }
  ctx.changes.push({ kind: 'item-removed', entry: { ...position, originator: row.uid } })
}
