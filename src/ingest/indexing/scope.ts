// The cheap first look at an event, before its record is validated or SQLite is asked: does it have anything to do
// with us? It only says no where the answer is certain; the files of the collections decide the rest, where they have
// the rows at hand. `network` keeps everything. `community` keeps all that authors do, and what strangers do to kept
// posts and to authors. `authors` leaves strangers out, but for records that are pointed at.

import type { Collection } from '../../base/atproto/collections.ts'
import type { CommitEvent, UnreadCommit } from '../../base/event.ts'
import { allRules } from './collections/all-rules.ts'
import { type IndexContext, isAuthor, isImportingFollows } from './index-context.ts'

/** Whether nothing of this can be kept. `uid` is the creator's, 0 while unknown. */
export function isFarAway(
  ctx: IndexContext,
  uid: number,
  event: CommitEvent & { collection: Collection },
): boolean {
  if (ctx.scope === 'network' || isAuthor(ctx, uid)) return false
  if (event.operation === 'delete') return uid === 0 && !isImportingFollows(ctx, event.collection)
  return allRules[event.collection].isFar(ctx, uid, event)
}

/**
 * The same of a commit that nobody has parsed. All DIDs in it stand for the few that matter, so where this says no,
 * the event is parsed and looked at above.
 */
export function isFarAwayUnread(ctx: IndexContext, commit: UnreadCommit): boolean {
  if (ctx.scope === 'network') return false
  const uid = ctx.actors.uidOfPlc(commit.bytes, commit.creatorAt)
  if (isAuthor(ctx, uid)) return false
  if (commit.operation === 'delete') {
    return uid === 0 && !isImportingFollows(ctx, commit.collection)
  }
  return allRules[commit.collection as Collection]?.isFarUnread(ctx, uid, commit) ?? false
}
