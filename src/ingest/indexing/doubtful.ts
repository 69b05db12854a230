// An author's or a member's pointer at a post went. Where not everything is kept, the post may have been here
// for its sake, and is looked at soon (retention/).

import { DOUBT, findDoubt, putDoubt } from '../../data/store/doubts.ts'
import { type IndexContext, isAuthor } from './index-context.ts'

export function doubtPosts({ db, keptScope }: IndexContext, posts: Iterable<number | null>): void {
  if (keptScope === 'network') return
  for (const post of posts) if (post !== null) putDoubt(db, DOUBT.post, post)
}

/** Also of somebody who is none any more, as long as it is not settled yet what they were the reason for. */
export function isOrWasAuthor(ctx: IndexContext, uid: number): boolean {
  return isAuthor(ctx, uid) || isUnsettled(ctx, uid)
}

/** Whether this account reads here no more, or is followed by no member any more, and that is not settled. */
function isUnsettled(ctx: IndexContext, uid: number): boolean {
  if (ctx.keptScope === 'network') return false
  return isFormerMember(ctx, uid) || findDoubt(ctx.db, DOUBT.author, uid) !== undefined
}

/** Whether this account reads here no more, and it is not settled yet whom it was the reason for. */
export function isFormerMember({ db }: IndexContext, uid: number): boolean {
  return findDoubt(db, DOUBT.member, uid) !== undefined
}
