import {
  blockersByList,
  hasMembersOn,
  hasThreadgates,
  isMutedList,
} from '../../../data/store/removal/unneeded.ts'
import { type IndexContext, isAuthor } from '../index-context.ts'

/**
 * Whether an author or member blocks or mutes by the list, a member is on it, or a thread may be
 * open to it: then the list is kept, and so is what strangers do with it.
 */
export function isListInUse(ctx: IndexContext, list: number, owner: number): boolean {
  if (isAuthor(ctx, owner) || isMutedList(ctx.db, list)) return true
  if (blockersByList(ctx.db, list).some((uid) => isAuthor(ctx, uid))) return true
  if (hasThreadgates(ctx.db, owner)) return true
  return ctx.storedScope !== 'authors' && hasMembersOn(ctx.db, list)
}
