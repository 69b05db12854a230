// An author's or a member's pointer at a post went. Where not everything is kept, the post may have been here
// for its sake, and is looked at soon (retention/).

import { findGcCandidate, GC, putGcCandidate } from '../../data/store/gc-candidates.ts'
import { type IndexContext, isAuthor } from './index-context.ts'

export function addPostCandidates(
  { db, keptScope }: IndexContext,
  posts: Iterable<number | null>,
): void {
  if (keptScope === 'network') return
  for (const post of posts) if (post !== null) putGcCandidate(db, GC.post, post)
}

/** What one did to another went, because nobody needs it. */
export function addBoth(
  { db }: IndexContext,
  { uid, subject }: { uid: number; subject: number },
): void {
  putGcCandidate(db, GC.account, uid)
  putGcCandidate(db, GC.account, subject)
}

/** Also of somebody who is none any more, as long as it is not swept yet what they were the reason for. */
export function isOrWasAuthor(ctx: IndexContext, uid: number): boolean {
  return isAuthor(ctx, uid) || isUnswept(ctx, uid)
}

/** Whether this account reads here no more, or is followed by no member any more, and that is not swept. */
function isUnswept(ctx: IndexContext, uid: number): boolean {
  if (ctx.keptScope === 'network') return false
  return isFormerMember(ctx, uid) || findGcCandidate(ctx.db, GC.author, uid) !== undefined
}

/** Whether this account reads here no more, and it is not swept yet whom it was the reason for. */
export function isFormerMember({ db }: IndexContext, uid: number): boolean {
  return findGcCandidate(db, GC.member, uid) !== undefined
}
