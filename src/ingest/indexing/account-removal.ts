// Takes away every row of a deleted account and what the rows counted for. Others' records about
// the account stay, since they are still in their repositories; so do, for a while, its membership and
// what it kept here alone, which nobody could give back should the account return (ingest/upkeep/removing.ts).

import { deleteBackfillsOf } from '../../data/store/backfills.ts'
import { deleteBlocksOf } from '../../data/store/blocks.ts'
import { deleteFollowsOf, followedBy } from '../../data/store/follows.ts'
import { deleteGatesOf } from '../../data/store/gates.ts'
import { deleteLikesOf, likedBy } from '../../data/store/likes.ts'
import { deleteListBlocksOf } from '../../data/store/list-blocks.ts'
import { deleteListItemsOf } from '../../data/store/list-items.ts'
import { emptyListsOf } from '../../data/store/lists.ts'
import { deleteNotificationsBy } from '../../data/store/notifications.ts'
import { ANCHOR, HAS_POSTGATE, HAS_THREADGATE } from '../../data/store/post-flags.ts'
import {
  clearPostFlagsOf,
  DELETED,
  emptyPost,
  findPostById,
  presentPostIds,
  prunedPostIds,
} from '../../data/store/posts.ts'
import { deleteProfile } from '../../data/store/profiles.ts'
import { deleteRecordLikesOf } from '../../data/store/record-likes.ts'
import { emptyRecordsOf } from '../../data/store/records.ts'
import { deleteRepostsOf, repostedBy } from '../../data/store/reposts.ts'
import { forgetSeedActorCounts } from '../../data/store/seed-counts.ts'
import { disconnect } from './follow.ts'
import { addPostCandidates, isOrWasAuthor } from './gc-posts.ts'
import { type IndexContext, postCounts } from './index-context.ts'
import { retractPost } from './post.ts'

export function removeAccount(ctx: IndexContext, uid: number): void {
  const { db } = ctx
  const liked = likedBy(db, uid)
  for (const subject of liked) postCounts(ctx, subject).likes--
  if (isOrWasAuthor(ctx, uid)) addPostCandidates(ctx, liked)
  deleteLikesOf(db, uid)
  const reposted = repostedBy(db, uid)
  for (const subject of reposted) postCounts(ctx, subject).reposts--
  if (isOrWasAuthor(ctx, uid)) addPostCandidates(ctx, reposted)
  deleteRepostsOf(db, uid)
  const followed = followedBy(db, uid)
  deleteFollowsOf(db, uid)
  for (const subject of followed) disconnect(ctx, uid, subject)
  removePosts(ctx, uid)
  deleteProfile(db, uid)
  deleteNotificationsBy(db, uid)
  deleteBlocksOf(db, uid)
  deleteListBlocksOf(db, uid)
  deleteListItemsOf(db, uid)
  emptyListsOf(db, uid)
  emptyRecordsOf(db, uid)
  deleteRecordLikesOf(db, uid)
  deleteBackfillsOf(db, uid)
  forgetSeedActorCounts(db, uid)
  ctx.deletedAccounts.add(uid)
  ctx.changes.push({ kind: 'actor-removed', uid })
}

function removePosts(ctx: IndexContext, uid: number): void {
  deleteGatesOf(ctx.db, 'threadgates', uid)
  deleteGatesOf(ctx.db, 'postgates', uid)
  clearPostFlagsOf(ctx.db, uid, HAS_THREADGATE | HAS_POSTGATE)
  for (const id of [...presentPostIds(ctx.db, uid), ...prunedPostIds(ctx.db, uid)]) {
    const row = findPostById(ctx.db, id)!
    retractPost(ctx, row)
    emptyPost(ctx.db, row, { state: DELETED, rev: null, flags: row.flags & ANCHOR })
  }
}
