// Sweeps the replies, quotes and reactions of a post that is no longer kept as before: replies and quotes
// become candidates, and if its record is gone, strangers' likes and reposts are dropped.

import { likeEdges } from '../../../data/store/edges/all-edges.ts'
import { postsPointingAt, WAYS_TO_POINT } from '../../../data/store/posts/pointers-to-posts.ts'
import { repostsOfPost } from '../../../data/store/records/reactions.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { dropLike } from '../collections/like.ts'
import { dropRepost } from '../collections/repost.ts'
import { isAuthor } from '../index-context.ts'
import { isStoredPostId } from './post-needs.ts'
import { goesOnAfter, once, PAGE, type Step } from './step.ts'
import { dropPointedBy } from './sweep-edges.ts'

const dropLikes = dropPointedBy(likeEdges, dropLike, isAuthor)

const doubtPointing =
  (way: number): Step =>
  (ctx, post, reached) => {
    const after = Number(reached ?? 0)
    const page = postsPointingAt(ctx.db, way, { post, after, limit: PAGE })
    for (const id of page) putGcCandidate(ctx.db, GC.post, id)
    return goesOnAfter(page, (id) => id)
  }

export const stepsAround: readonly Step[] = [
  ...Array.from({ length: WAYS_TO_POINT }, (_, way) => doubtPointing(way)),
  (ctx, post, reached) => (isStoredPostId(ctx, post) ? undefined : dropLikes(ctx, post, reached)),
  (ctx, post, reached) => {
    if (isStoredPostId(ctx, post)) return undefined
    const page = repostsOfPost(ctx.db, post, { after: Number(reached ?? -1), limit: PAGE })
    for (const repost of page) if (!isAuthor(ctx, repost.uid)) dropRepost(ctx, repost)
    // A page may cut off an account's reposts: if they are dropped, the next page begins with the
    // page's last account again.
    return goesOnAfter(page, ({ uid }) => (isAuthor(ctx, uid) ? uid : uid - 1))
  },
  once((ctx, post) => putGcCandidate(ctx.db, GC.post, post)),
]
