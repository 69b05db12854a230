// Takes single likes, reposts, follows and blocks away because nobody needs them, and not because their
// creators took them back: nothing is remembered of a deletion.

import { deleteBlock } from '../../../data/store/blocks.ts'
import { DOUBT, putDoubt } from '../../../data/store/doubts.ts'
import type { Edge } from '../../../data/store/edges/edge.ts'
import { deleteFollow, isFollowing } from '../../../data/store/follows.ts'
import type { RepostKey } from '../../../data/store/reactions.ts'
import { disconnect } from '../follow.ts'
import type { IndexContext } from '../index-context.ts'
import { removeLike } from '../like.ts'
import { FOLLOW, withdrawNotifications } from '../notify.ts'
import { removeRepost } from '../repost.ts'

export function dropLike(ctx: IndexContext, { uid, rkey }: Pick<Edge, 'uid' | 'rkey'>): void {
  const collection = 'app.bsky.feed.like'
  removeLike(ctx, { uid, collection, rkey, rev: '', seenAtUs: 0 })
  putDoubt(ctx.db, DOUBT.account, uid)
}

export function dropRepost(ctx: IndexContext, { uid, rkey }: RepostKey): void {
  const collection = 'app.bsky.feed.repost'
  removeRepost(ctx, { uid, collection, rkey, rev: '', seenAtUs: 0 })
  putDoubt(ctx.db, DOUBT.account, uid)
}

export function dropFollow(ctx: IndexContext, follow: Edge): void {
  const { uid, rkey, subject } = follow
  deleteFollow(ctx.db, follow)
  withdrawNotifications(ctx, { uid, collection: FOLLOW, rkey })
  if (!isFollowing(ctx.db, uid, subject)) disconnect(ctx, uid, subject)
  doubtBoth(ctx, follow)
}

export function dropBlock(ctx: IndexContext, block: Edge): void {
  deleteBlock(ctx.db, block)
  doubtBoth(ctx, block)
}

function doubtBoth({ db }: IndexContext, { uid, subject }: Edge): void {
  putDoubt(db, DOUBT.account, uid)
  putDoubt(db, DOUBT.account, subject)
}
