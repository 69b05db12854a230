// Prunes strangers' old posts and reactions, a slice of posts at a time, in order of arrival. Counts do not
// change: a pruned post keeps its place and its references, and a flag on a post marks that reactions to it
// are gone but counted. Posts that notified a member stay, and so do reactions to members' posts.

import { likeEdges } from '../../../data/store/edges/all-edges.ts'
import { ANCHOR, REACTIONS_PRUNED } from '../../../data/store/posts/post-flags.ts'
import { PRESENT, prunePost, setPostFlags } from '../../../data/store/posts/posts.ts'
import { deleteLike } from '../../../data/store/records/likes.ts'
import { deleteRepost } from '../../../data/store/records/reposts.ts'
import {
  hasNotifiedAnybody,
  type OldPost,
  postsAfter,
  pruningReached,
  repostsBefore,
  setPruningReached,
  setReactionsPrunedBefore,
} from '../../../data/store/removal/old-posts.ts'
import { type IndexContext, isAuthor, isMember } from '../index-context.ts'

/** Milliseconds since 1970: anything older is pruned; -Infinity keeps all. */
export type PruneLimits = {
  /** For strangers' posts that no author references, and strangers' likes and reposts. */
  strangersBefore: number
  /** For strangers' posts that an author or a member references. */
  neighboursBefore: number
}

export type Pruned = { posts: number; likes: number; reposts: number; isPassOver: boolean }

/** Most rows read, and removed, in one transaction. */
const POSTS_LOOKED_AT = 400
const TAKEN_AT_ONCE = 400

/** Prunes the next slice; after the last one it starts over. */
export function pruneSlice(
  ctx: IndexContext,
  limits: PruneLimits,
  isTimeOver: () => boolean = () => false,
): Pruned {
  const pruned = { posts: 0, likes: 0, reposts: 0, isPassOver: false }
  const { strangersBefore } = limits
  if (strangersBefore > ctx.prunedBefore) {
    setReactionsPrunedBefore(ctx.db, strangersBefore)
    ctx.prunedBefore = strangersBefore
  }
  const posts = postsAfter(ctx.db, pruningReached(ctx.db), POSTS_LOOKED_AT)
  for (const post of posts) {
    const left = TAKEN_AT_ONCE - pruned.posts - pruned.likes - pruned.reposts
    if (left <= 0 || isTimeOver()) return pruned
    pruneRecord(ctx, post, limits, pruned)
    const isMore = pruneReactions(ctx, post, { before: strangersBefore, limit: left }, pruned)
    if (isMore) return pruned
    setPruningReached(ctx.db, post.id)
  }
  pruned.isPassOver = posts.length < POSTS_LOOKED_AT
  if (pruned.isPassOver) setPruningReached(ctx.db, 0)
  return pruned
}

function pruneRecord(
  ctx: IndexContext,
  post: OldPost,
  { strangersBefore, neighboursBefore }: PruneLimits,
  pruned: Pruned,
): void {
  if (post.state !== PRESENT || isAuthor(ctx, post.uid)) return
  const before = post.flags & ANCHOR ? neighboursBefore : strangersBefore
  if (post.sort_at! >= before || hasNotifiedAnybody(ctx.db, post)) return
  prunePost(ctx.db, post)
  pruned.posts++
}

/** @returns whether more reactions are left */
function pruneReactions(
  ctx: IndexContext,
  post: OldPost,
  { before, limit }: { before: number; limit: number },
  pruned: Pruned,
): boolean {
  if (!Number.isFinite(before) || isMember(ctx, post.uid)) return false
  const likes = likeEdges
    .newest(ctx.db, post.id, { sortAt: before, uid: 0 }, Number.POSITIVE_INFINITY)
    .filter(({ uid }) => !isAuthor(ctx, uid))
  const reposts = repostsBefore(ctx.db, post.id, { before, limit: limit * 2 }).filter(
    ({ uid }) => !isAuthor(ctx, uid),
  )
  if (likes.length + reposts.length === 0) return false
  if (!(post.flags & REACTIONS_PRUNED)) setPostFlags(ctx.db, post.id, post.flags | REACTIONS_PRUNED)
  for (const like of likes.slice(0, limit)) deleteLike(ctx.db, like)
  for (const repost of reposts.slice(0, limit)) deleteRepost(ctx.db, repost)
  pruned.likes += Math.min(likes.length, limit)
  pruned.reposts += Math.min(reposts.length, limit)
  return likes.length > limit || reposts.length > limit
}
