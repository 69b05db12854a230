// An `account` event: the account's state changed. Deactivated, suspended and taken down accounts
// are hidden and come back as they were; a deleted one loses every row, slice by slice where there are
// many (removal-slices.ts), and what still comes of it is ignored until it is active again. Events carry no rev, so their time decides which is later.

import type { AccountEvent, CommitEvent } from '../../base/event.ts'
import { actorStatus, setActorRemoved, setActorStatus } from '../../data/store/actors.ts'
import { enqueueJob } from '../../data/store/jobs.ts'
import { missingPostIds } from '../../data/store/posts.ts'
import { isHiddenStatus, statusCode } from '../../data/store/status.ts'
import {
  deleteTakedown,
  setStatusBeneath,
  statusBeneath,
  type TakedownSubject,
} from '../../data/store/takedowns.ts'
import { missOfAccount } from './account-gaps.ts'
import { fetchAuthor } from './fetch-missing.ts'
import {
  type IndexContext,
  internActor,
  isAuthor,
  isMember,
  type Outcome,
} from './index-context.ts'
import { beginRemoval, finishRemoval } from './removal-slices.ts'

const DELETED = statusCode('deleted')
const TAKENDOWN = statusCode('takendown')
const DEACTIVATED = statusCode('deactivated')
const MAX_POSTS_SOUGHT_AGAIN = 1_000

export function applyAccount(ctx: IndexContext, event: AccountEvent): Outcome {
  const keepsAll = ctx.scope === 'network' && !event.active
  const uid = keepsAll ? internActor(ctx, event.did) : ctx.actors.uidOf(event.did)
  const before = uid === 0 ? undefined : actorStatus(ctx.db, uid)
  if (!before) return 'unknown-account'
  if (event.timeUs < before.status_at) return 'late'
  const said = event.active ? 0 : statusCode(event.status ?? 'deactivated')
  const status = standing(ctx, uid, said)
  setActorStatus(ctx.db, uid, { status, status_at: event.timeUs })
  if (status === DELETED) rememberRemoval(ctx, uid, event.timeUs)
  if (status === before.status) return 'duplicate'
  if (isHiddenStatus(status) !== isHiddenStatus(before.status)) {
    ctx.changes.push({ kind: isHiddenStatus(status) ? 'hidden' : 'shown', uid })
  }
  if (status === DELETED) beginRemoval(ctx, uid)
  const isShownAgain = isHiddenStatus(before.status) && !isHiddenStatus(status)
  if (before.status === DELETED || isShownAgain) welcomeBack(ctx, uid)
  if (event.active) {
    // Whoever is away may still write, or have records taken away, and nobody tells us.
    const fromUs = Math.min(before.status_at, event.timeUs)
    missOfAccount(ctx, { uid, cause: 'returned', fromUs, toUs: event.timeUs })
  }
  return 'applied'
}

/** What its own server says, unless the operator hid it: that stands until they show it again. */
function standing(ctx: IndexContext, uid: number, said: number): number {
  if (statusBeneath(ctx.db, uid) === undefined) return said
  setStatusBeneath(ctx.db, uid, said)
  return said === DELETED ? DELETED : TAKENDOWN
}

/** The operator's takedown of it was just stored. */
export function hideAccount(ctx: IndexContext, uid: number): void {
  const before = actorStatus(ctx.db, uid)
  if (!before) return
  setStatusBeneath(ctx.db, uid, before.status)
  if (before.status === DELETED) return
  setActorStatus(ctx.db, uid, { ...before, status: TAKENDOWN })
  if (!isHiddenStatus(before.status)) ctx.changes.push({ kind: 'hidden', uid })
}

/** Ends the operator's takedown; it is what its own server said last. @returns whether there was one. */
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
 * The account's PDS has no such repository (any more), but nobody told of a deletion: what we hold of it
 * goes, as when it is compared with an empty one. Should the PDS be mistaken, whatever comes of the account
 * next brings it back. Of members nothing is taken on a server's word.
 */
export function applyNotFound(ctx: IndexContext, uid: number, timeUs: number): void {
  const before = actorStatus(ctx.db, uid)
  const isNews = before !== undefined && before.status !== DELETED && timeUs >= before.status_at
  if (!isNews || isMember(ctx, uid)) return
  setActorStatus(ctx.db, uid, { status: DELETED, status_at: timeUs })
  if (!isHiddenStatus(before.status)) ctx.changes.push({ kind: 'hidden', uid })
  beginRemoval(ctx, uid)
}

/**
 * The PDS of a deactivated account serves its repository, which it does of active ones alone: it is back, and the event
 * that told so was missed. Who was suspended or taken down stays hidden, since that may be the network's word.
 * @param statusAt - of its status when the PDS was asked; what was heard since then is younger.
 */
export function applyServed(
  ctx: IndexContext,
  { did, statusAt }: { did: string; statusAt: number },
): void {
  const uid = ctx.actors.uidOf(did)
  const before = actorStatus(ctx.db, uid)
  const said = statusBeneath(ctx.db, uid) ?? before?.status
  if (said === DEACTIVATED && before?.status_at === statusAt) {
    applyReturn(ctx, { did, timeUs: statusAt })
  }
}

/** Whether an account that only seemed to be deleted shows now that it is not. */
export function bringBack(ctx: IndexContext, uid: number, { did, timeUs }: CommitEvent): void {
  if (!ctx.deletedAccounts.has(uid) || ctx.removedAt.has(uid)) return
  applyReturn(ctx, { did, timeUs })
}

/** As if its own server had told so. */
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

/** What was said before this moment stays unsaid, even if the account returns. */
function rememberRemoval(ctx: IndexContext, uid: number, at: number): void {
  setActorRemoved(ctx.db, uid, at)
  ctx.removedAt.set(uid, at)
}

/** While it was away its PDS gave us nothing, so what was asked for then may still be missing. */
function welcomeBack(ctx: IndexContext, uid: number): void {
  finishRemoval(ctx, uid)
  ctx.deletedAccounts.delete(uid)
  ctx.knownPeople.delete(uid)
  if (isMember(ctx, uid)) enqueueJob(ctx.db, 'member', uid)
  if (isAuthor(ctx, uid)) fetchAuthor(ctx, uid)
  for (const post of missingPostIds(ctx.db, uid, MAX_POSTS_SOUGHT_AGAIN)) {
    enqueueJob(ctx.db, 'post', post)
  }
}
