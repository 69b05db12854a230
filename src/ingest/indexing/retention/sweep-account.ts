// Sweeps an account that lost a record: if no other record here is by it or about it, its profile, its
// identity and its queued fetches are removed too. Its row stays, since uids are never reused.

import { deleteBackfillsOf } from '../../../data/store/fetching/backfills.ts'
import { postRowsOf } from '../../../data/store/posts/posts.ts'
import { deleteProfile } from '../../../data/store/records/profiles.ts'
import { emptyRecordsOf } from '../../../data/store/records/records.ts'
import { deleteTombstonesOf } from '../../../data/store/records/tombstones.ts'
import { dropFetches, dropIdentity } from '../../../data/store/removal/drop-rows.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import {
  dropRecordsOf,
  isReferenced,
  likersOfRecordsBy,
} from '../../../data/store/removal/unneeded.ts'
import { unwantReplay } from '../../../data/store/stream/replays.ts'
import type { IndexContext } from '../index-context.ts'
import { isAuthor } from '../index-context.ts'
import { isRowNeeded, isStoredWhole } from './post-needs.ts'
import { keyAfter, PAGE } from './step.ts'
import { dropRow } from './sweep-post.ts'

export function sweepAccount(ctx: IndexContext, uid: number): void {
  const { db } = ctx
  if (isStoredWhole(ctx, uid) || isReferenced(db, uid)) return
  if (ctx.trustedVerifiers.has(ctx.actors.didOf(uid))) return
  const likers = likersOfRecordsBy(db, uid)
  if (likers.some((liker) => isAuthor(ctx, liker))) return
  if (!dropDeletedPosts(ctx, uid)) return
  for (const liker of likers) putGcCandidate(db, GC.account, liker)
  emptyRecordsOf(db, uid)
  dropRecordsOf(db, uid)
  deleteProfile(db, uid)
  dropIdentity(db, uid)
  forgetFetches(ctx, uid)
}

/**
 * Drops rows of deleted posts, which only keep late copies out, and reference nothing. @returns
 * whether none is left
 */
function dropDeletedPosts(ctx: IndexContext, uid: number): boolean {
  const page = postRowsOf(ctx.db, uid, { after: keyAfter(null), limit: PAGE })
  const unneeded = page.filter((row) => !isRowNeeded(ctx, row))
  for (const row of unneeded) dropRow(ctx, row)
  if (unneeded.length < page.length) return false
  if (page.length === PAGE) putGcCandidate(ctx.db, GC.account, uid)
  return page.length < PAGE
}

/** If the account becomes an author again, it is fetched as a new one. */
export function forgetFetches(ctx: IndexContext, uid: number): void {
  const { db } = ctx
  dropFetches(db, uid)
  unwantReplay(db, uid)
  deleteBackfillsOf(db, uid)
  deleteTombstonesOf(db, uid)
  ctx.knownPeople.delete(uid)
}
