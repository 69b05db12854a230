// An `account` event: the account's state changed. Deactivated, suspended and taken down accounts are hidden
// and return as they were; a deleted one loses every row, slice by slice if there are many
// (removal-slices.ts), and its later events are ignored until it is active again. Events carry no rev, so
// their time decides which is later.

import type { AccountEvent, CommitEvent } from '@slipstream/jetstream'
import { enqueueJob } from '../../data/store/fetching/jobs.ts'
import {
  deleteTakedown,
  setStatusBeneath,
  statusBeneath,
  type TakedownSubject,
} from '../../data/store/moderation/takedowns.ts'
import { missingPostIds } from '../../data/store/posts/posts.ts'
import {
  actorStatus,
  findActor,
  setActorRemoved,
  setActorStatus,
} from '../../data/store/records/actors.ts'
import { isHiddenStatus, statusCode } from '../../data/store/records/status.ts'
import { missOfAccount } from './account-gaps.ts'
import { fetchAuthor } from './fetch-missing.ts'
import {
  type IndexContext,
  internActor,
  isAuthor,
  isMember,
  type Outcome,
} from './index-context.ts'
import { beginRemoval, finishRemoval } from './removal/removal-slices.ts'

const DELETED = statusCode('deleted')
const TAKENDOWN = statusCode('takendown')
const DEACTIVATED = statusCode('deactivated')
const MAX_POSTS_SOUGHT_AGAIN = 1_000

export function applyAccount(ctx: IndexContext, event: AccountEvent): Outcome {
  const storesAll = ctx.scope === 'network' && !event.active
  const uid = storesAll ? internActor(ctx, event.did) : ctx.actors.uidOf(event.did)
  const before = uid === 0 ? undefined : actorStatus(ctx.db, uid)
  if (!before) return 'unknown-account'
  if (event.timeUs < before.status_at) return 'late'
  const reportedStatus = event.active ? 0 : statusCode(event.status ?? 'deactivated')
  const status = standing(ctx, uid, reportedStatus)
  setActorStatus(ctx.db, uid, { status, status_at: event.timeUs })
  if (status === DELETED) rememberRemoval(ctx, uid, event.timeUs)
  if (status === before.status) return 'duplicate'
  if (isHiddenStatus(status) !== isHiddenStatus(before.status)) {
    ctx.changes.push({ kind: isHiddenStatus(status) ? 'hidden' : 'shown', uid })
  }
  if (status === DELETED) beginRemoval(ctx, uid)
  const isVisibleAgain = isHiddenStatus(before.status) && !isHiddenStatus(status)
  if (before.status === DELETED || isVisibleAgain) welcomeBack(ctx, uid)
  if (event.active) {
    // An account that is away may still write or have records removed, without any event.
    const fromUs = Math.min(before.status_at, event.timeUs)
    missOfAccount(ctx, { uid, cause: 'returned', fromUs, toUs: event.timeUs })
  }
  return 'applied'
}

/**
 * The status that its own server gives, unless the operator hid the account: then it stays taken
 * down until the operator shows it again.
 */
function standing(ctx: IndexContext, uid: number, reportedStatus: number): number {
  if (statusBeneath(ctx.db, uid) === undefined) return reportedStatus
  setStatusBeneath(ctx.db, uid, reportedStatus)
  return reportedStatus === DELETED ? DELETED : TAKENDOWN
}

/** Hides an account whose operator takedown was just stored. */
export function hideAccount(ctx: IndexContext, uid: number): void {
  const before = actorStatus(ctx.db, uid)
  if (!before) return
  setStatusBeneath(ctx.db, uid, before.status)
  if (before.status === DELETED) return
  setActorStatus(ctx.db, uid, { ...before, status: TAKENDOWN })
  if (!isHiddenStatus(before.status)) ctx.changes.push({ kind: 'hidden', uid })
}

/**
 * Ends the operator's takedown and restores the status its own server gave last. @returns whether
 * there was one.
 */
export function showAccount(ctx: IndexContext, uid: number, takedown: TakedownSubject): boolean {
  const status = statusBeneath(ctx.db, uid)
  const before = actorStatus(ctx.db, uid)
  if (status === undefined || !before) return false
  deleteTakedown(ctx.db, { ...takedown, uid })
  if (before.status === DELETED) return true
  setActorStatus(ctx.db, uid, { ...before, status })
  if (isHiddenStatus(status)) return true
  ctx.changes.push({ kind: 'shown', uid })
  welcomeBack(ctx, uid)
  return true
}

/**
 * The account's PDS has no such repository (any more), but no deletion was announced: removes all
 * we hold of it, as if compared with an empty repository. If the PDS is mistaken, the account's
 * next event brings it back. Members lose nothing on a server's word. Of an account that is away, its
 * deletion may have been announced while nobody could confirm it, so it counts however recent that is.
 */
export function applyNotFound(ctx: IndexContext, uid: number, timeUs: number): void {
  const before = actorStatus(ctx.db, uid)
  if (!before || before.status === DELETED || isMember(ctx, uid)) return
  if (before.status !== DEACTIVATED && timeUs < before.status_at) return
  const statusAt = Math.max(timeUs, before.status_at)
  setActorStatus(ctx.db, uid, { status: DELETED, status_at: statusAt })
  if (!isHiddenStatus(before.status)) ctx.changes.push({ kind: 'hidden', uid })
  beginRemoval(ctx, uid)
}

/**
 * The PDS of a deactivated account serves its repository, which it does only for active ones: the
 * account is back, and we missed the event. A suspended or taken down account stays hidden, since
 * that may be the network's decision.
 * @param statusAt - time of its status when the PDS was asked; anything heard since then is newer
 */
export function applyServed(
  ctx: IndexContext,
  { did, statusAt }: { did: string; statusAt: number },
): void {
  const uid = ctx.actors.uidOf(did)
  const before = actorStatus(ctx.db, uid)
  const reportedStatus = statusBeneath(ctx.db, uid) ?? before?.status
  if (reportedStatus === DEACTIVATED && before?.status_at === statusAt) {
    applyReturn(ctx, { did, timeUs: statusAt })
  }
}

/** Brings back an account that only seemed to be deleted and now shows that it is not. */
export function bringBack(ctx: IndexContext, uid: number, { did, timeUs }: CommitEvent): void {
  if (ctx.removedAt.has(uid)) return
  applyReturn(ctx, { did, timeUs })
}

/** Applies the return as if its own server had announced it. */
function applyReturn(ctx: IndexContext, { did, timeUs }: { did: string; timeUs: number }): void {
  applyAccount(ctx, {
    kind: 'account',
    did,
    active: true,
    status: undefined,
    timeUs,
    seq: undefined,
  })
}

/** Events from before this moment stay ignored, even if the account returns. */
function rememberRemoval(ctx: IndexContext, uid: number, at: number): void {
  setActorRemoved(ctx.db, uid, at)
  ctx.removedAt.set(uid, at)
}

/**
 * Repeats fetches: while the account was away its PDS gave us nothing, so records requested then
 * may still be missing.
 */
function welcomeBack(ctx: IndexContext, uid: number): void {
  finishRemoval(ctx, uid)
  ctx.deletedAccounts.delete(uid)
  ctx.knownPeople.delete(uid)
  if (isMember(ctx, uid)) enqueueJob(ctx.db, 'member', uid)
  if (isAuthor(ctx, uid)) fetchAuthor(ctx, uid)
  else if (ctx.storedScope === 'network') lookUpNames(ctx, uid)
  for (const post of missingPostIds(ctx.db, uid, MAX_POSTS_SOUGHT_AGAIN)) {
    enqueueJob(ctx.db, 'post', post)
  }
}

/** Its names were dropped if it was deleted. */
function lookUpNames({ db }: IndexContext, uid: number): void {
  if (findActor(db, uid)?.identity_checked_at == null) enqueueJob(db, 'identity', uid)
}
