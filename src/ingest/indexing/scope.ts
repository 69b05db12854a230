// A cheap first check, before a record is validated or SQLite is read: can the event matter here? Says no
// only if that is certain; the collections' files decide the rest, with the rows at hand. `network` keeps
// everything. `community` keeps all records of authors, and strangers' reactions to kept posts and to
// authors. `authors` leaves out strangers, except for referenced records.

import type { CommitEvent, UnreadCommit } from '@slipstream/jetstream'
import type { Collection } from '../../base/atproto/collections.ts'
import { allRules } from './collections/all-rules.ts'
import { type IndexContext, isAuthor, isImportingFollows } from './index-context.ts'

/** Whether no part of this event can be kept. `uid` is the creator's, 0 while unknown. */
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
 * The same for an unparsed commit. Any DID in it counts as one that matters, so if this says no,
 * the event is parsed and checked above.
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
