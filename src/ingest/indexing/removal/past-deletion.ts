// A past account deletion seen in a replay, out of order: later events of the account may have been applied
// before. All rows are removed, since most don't say when they were seen; records younger than the deletion
// are fetched again, and older ones are kept out by the deletion's time.

import { forgetPostRevs } from '../../../data/store/posts/posts.ts'
import { actorStatus, setActorRemoved } from '../../../data/store/records/actors.ts'
import { statusCode } from '../../../data/store/records/status.ts'
import { deleteTombstonesOf } from '../../../data/store/records/tombstones.ts'
import { fetchAuthor } from '../fetch-missing.ts'
import { type IndexContext, isAuthor } from '../index-context.ts'
import { removeAccount } from './account-removal.ts'

/** Idempotent. `timeUs`: when the account was deleted. */
export function applyPastDeletion(ctx: IndexContext, uid: number, timeUs: number): void {
  if ((ctx.removedAt.get(uid) ?? 0) >= timeUs) return
  setActorRemoved(ctx.db, uid, timeUs)
  ctx.removedAt.set(uid, timeUs)
  removeAccount(ctx, uid)
  deleteTombstonesOf(ctx.db, uid)
  forgetPostRevs(ctx.db, uid)
  if (actorStatus(ctx.db, uid)?.status !== statusCode('deleted')) ctx.deletedAccounts.delete(uid)
  if (isAuthor(ctx, uid)) fetchAuthor(ctx, uid)
}
