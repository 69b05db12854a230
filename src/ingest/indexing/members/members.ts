// Adds and removes members, and keeps their visits and identities. Called through `Indexer.run`, so rows are
// committed before memory changes.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import { deleteBackfillsOf } from '../../../data/store/fetching/backfills.ts'
import { enqueueJob } from '../../../data/store/fetching/jobs.ts'
import {
  deleteMember,
  findMember,
  insertMember,
  type MemberRow,
  setMemberSeen,
} from '../../../data/store/members/members.ts'
import { ONE_VISIT_MS, seatsForOneMore } from '../../../data/store/members/seats.ts'
import { putStoredIdentity } from '../../../data/store/members/stored-identities.ts'
import { isBanned } from '../../../data/store/moderation/bans.ts'
import { deleteEarlierRows } from '../../../data/store/private/private-rows.ts'
import { followedBy } from '../../../data/store/records/follows.ts'
import { GC, putGcCandidate } from '../../../data/store/removal/gc-candidates.ts'
import { requestReplay } from '../../../data/store/stream/replays.ts'
import { fetchAuthorOf, fetchVerifiers } from '../fetch-missing.ts'
import { type IndexContext, internActor, isAuthor, isMember } from '../index-context.ts'
import { beginToNotify } from '../notifications/notify-backlog.ts'
import { finishPrivateRemoval } from '../retention/sweep-candidates.ts'

const SEEN_EVERY_MS = 10 * MINUTE_MS
/**
 * Interval while a member may still turn out to come only once, which can cost them their seat
 * (data/store/members/seats.ts).
 */
const NEWCOMER_SEEN_EVERY_MS = 2 * MINUTE_MS

/**
 * Notes that a member made a request, or (`seenAt` null) is listed in the configuration. For a new
 * member, queues the cold start, and makes authors of the accounts they are known to follow.
 * Ignores banned accounts.
 */
export function memberSeen(ctx: IndexContext, did: string, seenAt: number | null = ctx.now): void {
  if (isBanned(ctx.db, did)) return
  const uid = internActor(ctx, did)
  const row = findMember(ctx.db, uid)
  if (row) {
    if (seenAt !== null && isToBeInvalidated(row, seenAt)) setMemberSeen(ctx.db, uid, seenAt)
    beginToNotify(ctx, uid, seenAt !== null)
    return
  }
  // A returning former member counts as a newcomer.
  finishPrivateRemoval(ctx, uid)
  deleteBackfillsOf(ctx.db, uid)
  deleteEarlierRows(ctx.db, uid)
  insertMember(ctx.db, { uid, joined_at: ctx.now, last_seen_at: seenAt })
  // Strangers may have blocked them.
  ctx.knownPeople.clear()
  enqueueJob(ctx.db, 'member', uid)
  requestReplay(ctx.db, uid, ctx.now)
  fetchVerifiers(ctx)
  beginToNotify(ctx, uid, seenAt !== null)
  const followed = followedBy(ctx.db, uid).toReversed()
  for (const [rank, subject] of followed.entries()) {
    if (!isAuthor(ctx, subject)) fetchAuthorOf(ctx, { member: uid, author: subject, rank })
  }
  ctx.changes.push({ kind: 'member-added', uid })
}

/** Stores the identity that admits a member after a restart while the directory is down. */
export function storeIdentity(
  ctx: IndexContext,
  did: string,
  { identity, asOf }: { identity: string | null; asOf: number },
): void {
  const uid = ctx.actors.uidOf(did)
  if (isMember(ctx, uid)) putStoredIdentity(ctx.db, { uid, identity, as_of: asOf }, ctx.now)
}

function isToBeInvalidated({ joined_at, last_seen_at }: MemberRow, seenAt: number): boolean {
  const lastSeenAt = last_seen_at ?? 0
  const cameOnce = lastSeenAt - joined_at < ONE_VISIT_MS
  return seenAt - lastSeenAt >= (cameOnce ? NEWCOMER_SEEN_EVERY_MS : SEEN_EVERY_MS)
}

export type SeatLimits = { maxMembers: number; except: readonly string[] }

/** As `freeSeat`. @throws Error if no seat can be freed */
export function makeSeat(ctx: IndexContext, did: string, limits: SeatLimits): void {
  if (!freeSeat(ctx, did, limits)) throw new Error('there are as many members as may be')
}

/**
 * Makes room for one more member if the limit is reached, by removing members who came once and
 * never again.
 * @returns whether the account has a seat or may take one
 */
export function freeSeat(ctx: IndexContext, did: string, limits: SeatLimits): boolean {
  if (isMember(ctx, ctx.actors.uidOf(did))) return true
  const seats = seatsForOneMore(ctx.db, { ...limits, now: ctx.now })
  if (!seats) return false
  for (const seat of seats) removeMember(ctx, seat.did)
  return true
}

/** Ends a membership. Records kept only for this member are removed bit by bit (retention/). */
export function removeMember(ctx: IndexContext, did: string): void {
  const uid = ctx.actors.uidOf(did)
  if (uid === 0 || !deleteMember(ctx.db, uid)) return
  putGcCandidate(ctx.db, GC.member, uid)
  ctx.changes.push({ kind: 'member-removed', uid })
}
