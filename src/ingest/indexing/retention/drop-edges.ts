// Takes single likes, reposts, follows and blocks away because nobody needs them, and not because their
// creators took them back: nothing is remembered of a deletion.

import { deleteBlock } from '../../../data/store/blocks.ts'
import type { Edge } from '../../../data/store/edges/edge.ts'
import { deleteFollow, isFollowing } from '../../../data/store/follows.ts'
import { GC, putGcCandidate } from '../../../data/store/gc-candidates.ts'
import type { RepostKey } from '../../../data/store/reactions.ts'
import { disconnect } from '../follow.ts'
import type { IndexContext } from '../index-context.ts'
import { removeLike } from '../like.ts'
import { FOLLOW, withdrawNotifications } from '../notify.ts'
import { removeRepost } from '../repost.ts'

export function dropLike(ctx: IndexContext, { uid, rkey }: Pick<Edge, 'uid' | 'rkey'>): void {
  const collection = 'app.bsky.feed.like'
  removeLike(ctx, { uid, collection, rkey, rev: '', seenAtUs: 0 })
  putGcCandidate(ctx.db, GC.account, uid)
}

export function dropRepost(ctx: IndexContext, { uid, rkey }: RepostKey): void {
  const collection = 'app.bsky.feed.repost'
  removeRepost(ctx, { uid, collection, rkey, rev: '', seenAtUs: 0 })
  putGcCandidate(ctx.db, GC.account, uid)
}

export function dropFollow(ctx: IndexContext, follow: Edge): void {
  const { uid, rkey, subject } = follow
  deleteFollow(ctx.db, follow)
  withdrawNotifications(ctx, { uid, collection: FOLLOW, rkey })
  if (!isFollowing(ctx.db, uid, subject)) disconnect(ctx, uid, subject)
  addBoth(ctx, follow)
}

export function dropBlock(ctx: IndexContext, block: Edge): void {
  deleteBlock(ctx.db, block)
  addBoth(ctx, block)
}

function addBoth({ db }: IndexContext, { uid, subject }: Edge): void {
  putGcCandidate(db, GC.account, uid)
  putGcCandidate(db, GC.account, subject)
}
