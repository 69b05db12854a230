// Handles the removal of an author's or a member's reference to a post. Where not everything is kept, the
// post may have been stored only for that reference, and is checked soon (retention/).

import { findGcCandidate, GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { type IndexContext, isAuthor } from '../index-context.ts'

export function addPostCandidates(
  { db, storedScope }: IndexContext,
  posts: Iterable<number | null>,
): void {
  if (storedScope === 'network') return
  for (const post of posts) if (post !== null) putGcCandidate(db, GC.post, post)
}

/** Queues both accounts of an edge that was dropped as no longer needed. */
export function addBoth(
  { db }: IndexContext,
  { uid, subject }: { uid: number; subject: number },
): void {
  putGcCandidate(db, GC.account, uid)
  putGcCandidate(db, GC.account, subject)
}

/** Also true for a former author, until what was kept because of it is swept. */
export function isOrWasAuthor(ctx: IndexContext, uid: number): boolean {
  return isAuthor(ctx, uid) || isUnswept(ctx, uid)
}

/**
 * Whether this account is no member any more, or no member follows it any more, and it is not yet
 * swept.
 */
function isUnswept(ctx: IndexContext, uid: number): boolean {
  if (ctx.storedScope === 'network') return false
  return isFormerMember(ctx, uid) || findGcCandidate(ctx.db, GC.author, uid) !== undefined
}

/**
 * Whether this account is no member any more, and the authors kept because of it are not yet swept.
 */
export function isFormerMember({ db }: IndexContext, uid: number): boolean {
  return findGcCandidate(db, GC.member, uid) !== undefined
}
