// An account of which something went: where nothing else here is by it or about it, its profile, its names
// and what was to be fetched of it go too. Its row stays, for numbers of accounts are given out once.

import { deleteBackfillsOf } from '../../store/backfills.ts'
import { DOUBT, putDoubt } from '../../store/doubts.ts'
import { dropFetches, dropIdentity } from '../../store/drop-rows.ts'
import { deleteProfile } from '../../store/profiles.ts'
import { emptyRecordsOf } from '../../store/records.ts'
import { unwantReplay } from '../../store/replays.ts'
import { deleteTombstonesOf } from '../../store/tombstones.ts'
import { dropRecordsOf, isReferenced, likersOfRecordsBy } from '../../store/unneeded.ts'
import type { IndexContext } from '../index-context.ts'
import { isAuthor } from '../index-context.ts'
import { isKeptWhole } from './post-needs.ts'

export function settleAccount(ctx: IndexContext, uid: number): void {
  const { db } = ctx
  if (isKeptWhole(ctx, uid) || isReferenced(db, uid)) return
  if (ctx.trustedVerifiers.has(ctx.actors.didOf(uid))) return
  const likers = likersOfRecordsBy(db, uid)
  if (likers.some((liker) => isAuthor(ctx, liker))) return
  for (const liker of likers) putDoubt(db, DOUBT.account, liker)
  emptyRecordsOf(db, uid)
  dropRecordsOf(db, uid)
  deleteProfile(db, uid)
  dropIdentity(db, uid)
  forgetFetches(ctx, uid)
}

/** Should the account become an author again, it is new. */
export function forgetFetches(ctx: IndexContext, uid: number): void {
  const { db } = ctx
  dropFetches(db, uid)
  unwantReplay(db, uid)
  deleteBackfillsOf(db, uid)
  deleteTombstonesOf(db, uid)
  ctx.knownPeople.delete(uid)
}
