// A threadgate applies to later replies. If it arrives after some of these, because they were fetched first,
// they are judged again; replies older than the gate keep their flags.

import { VIOLATES_THREADGATE } from '../../../data/store/posts/post-flags.ts'
import { presentReplies, setPostFlags } from '../../../data/store/posts/posts.ts'
import { type IndexContext, postCounts } from '../index-context.ts'
import { threadgateFlag } from './reply-rules.ts'

const MAX_REPLIES_REVISED = 1_000

/** @param gatedAt - when the gate was made; milliseconds */
export function reviseGatedReplies(ctx: IndexContext, root: number, gatedAt: number): void {
  const parents = [root]
  for (let seen = 0; parents.length > 0 && seen < MAX_REPLIES_REVISED; ) {
    const replies = presentReplies(ctx.db, parents.shift()!, MAX_REPLIES_REVISED - seen)
    seen += replies.length
    for (const { id, uid, root: named, parent, sort_at, flags } of replies) {
      parents.push(id)
      const isLater = named === root && sort_at !== null && sort_at > gatedAt
      if (!isLater || flags & VIOLATES_THREADGATE || !threadgateFlag(ctx, uid, root)) continue
      setPostFlags(ctx.db, id, flags | VIOLATES_THREADGATE)
      if (parent !== null) postCounts(ctx, parent).replies--
    }
  }
}
