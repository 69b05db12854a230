// Follows from an operator's list, one line at a time, in the transaction of a slice. A list is older than
// anything from the stream or a repository, so lines are only added where nothing contradicts them. Lines of
// accounts whose whole list was read, and whose events are all kept, are skipped.

import { collectionCodes } from '../../../base/atproto/collections.ts'
import { microsOf, type PackedRkey, packRkey } from '../../../base/atproto/keys.ts'
import { followEdges } from '../../../data/store/edges/all-edges.ts'
import { findBackfill } from '../../../data/store/fetching/backfills.ts'
import { enqueueJobAgain } from '../../../data/store/fetching/jobs.ts'
import { type FollowLine, insertFollow, isFollowing } from '../../../data/store/records/follows.ts'
import {
  isUnfollowed,
  KEYLESS_SORT_AT,
  keylessRkey,
  markKeyless,
} from '../../../data/store/records/keyless-follows.ts'
import { hasTombstone } from '../../../data/store/records/tombstones.ts'
import { connect, dropKeyless } from '../collections/follow.ts'
import {
  type IndexContext,
  internActor,
  isAuthor,
  isMember,
  isOfDeletedAccount,
  isTieStored,
} from '../index-context.ts'
import { isTombstoned } from '../lateness.ts'
import type { ImportOutcome } from './import-tally.ts'

export const COLLECTION = 'app.bsky.graph.follow'
/** After everything that a client waits for. */
const RESYNC_PRIORITY = 70

type Options = { isInScopeOnly?: boolean }

/**
 * A key that we hold, or that was deleted or changed, stays as it is, whatever the list says.
 * Without a key, a pair that is connected already, or was lately disconnected, stays as it is;
 * otherwise it gets a made-up key until a record of the pair arrives
 * (data/store/records/keyless-follows.ts). If the account deleted follows whose subjects are unknown, its
 * whole list is requested, which settles the pairs.
 *
 * @param isInScopeOnly - leave out lines that would not be kept from the stream
 */
export function importFollow(
  ctx: IndexContext,
  line: FollowLine,
  options: Options = {},
): ImportOutcome {
  const reason = leftOut(ctx, line, options)
  if (reason) return reason
  const uid = internActor(ctx, line.did)
  const subject = internActor(ctx, line.subject)
  return line.rkey === undefined
    ? putKeyless(ctx, uid, subject)
    : putKeyed(ctx, { uid, subject, rkey: packRkey(line.rkey) })
}

/** Why a line is skipped because of its accounts; gives no account a uid. */
export function leftOut(
  ctx: IndexContext,
  { did, subject }: FollowLine,
  { isInScopeOnly = false }: Options,
): 'outOfScope' | 'gone' | 'complete' | undefined {
  const known = ctx.actors.uidOf(did)
  if (isInScopeOnly && !isTieStored(ctx, known, subject)) return 'outOfScope'
  if (isOfDeletedAccount(ctx, { uid: known, seenAtUs: 0 })) return 'gone'
  return isComplete(ctx, known) ? 'complete' : undefined
}

/** When the key was made, if it tells that and is in the past. */
export function importedSortAt(rkey: PackedRkey, now: number): number {
  if (typeof rkey === 'string') return KEYLESS_SORT_AT
  return Math.min(Math.floor(microsOf(rkey) / 1000), now)
}

/** Whether we have the account's list from its repository, and keep it up to date. */
export function isComplete(ctx: IndexContext, uid: number): boolean {
  const isStored = isAuthor(ctx, uid) || (uid !== 0 && ctx.scope === 'network')
  return isStored && (isMember(ctx, uid) || findBackfill(ctx.db, uid, 'follows') !== undefined)
}

/** The account's deletions with unknown subjects may concern any of these follows. */
export function settleKeyless(ctx: IndexContext, uid: number): void {
  markKeyless(ctx.db, uid)
  if (!hasTombstone(ctx.db, uid, collectionCodes[COLLECTION])) return
  enqueueJobAgain(ctx.db, 'follows', uid, RESYNC_PRIORITY)
}

function putKeyed(
  ctx: IndexContext,
  follow: { uid: number; subject: number; rkey: PackedRkey },
): ImportOutcome {
  const { uid, subject, rkey } = follow
  if (followEdges.find(ctx.db, uid, rkey)) return 'known'
  const key = { uid, collection: COLLECTION, rkey, rev: undefined, fetchedAt: 0 } as const
  if (isTombstoned(ctx, key)) return 'undone'
  if (!isFollowing(ctx.db, uid, subject)) connect(ctx, uid, subject)
  else dropKeyless(ctx, uid, subject)
  const sortAt = importedSortAt(rkey, ctx.now)
  insertFollow(ctx.db, { uid, rkey, subject, sortAt, createdAt: sortAt })
  return 'added'
}

function putKeyless(ctx: IndexContext, uid: number, subject: number): ImportOutcome {
  if (isFollowing(ctx.db, uid, subject)) return 'known'
  if (isUnfollowed(ctx.db, uid, subject)) return 'undone'
  connect(ctx, uid, subject)
  const sortAt = KEYLESS_SORT_AT
  insertFollow(ctx.db, { uid, rkey: keylessRkey(subject), subject, sortAt, createdAt: sortAt })
  settleKeyless(ctx, uid)
  return 'added'
}
