// Admits accounts, directly or by invite. Called through `Indexer.run`.

import type { Db } from '../../../data/store/db.ts'
import {
  deleteAdmission,
  findAdmission,
  insertAdmission,
} from '../../../data/store/members/admissions.ts'
import {
  countInvites,
  countUse,
  disableInvite as disableRow,
  findInvite,
  type InviteRequest,
  type InviteRow,
  insertInvite,
} from '../../../data/store/members/invites.ts'
import { isBanned } from '../../../data/store/moderation/bans.ts'
import type { IndexContext } from '../index-context.ts'
import { freeSeat, memberSeen, type SeatLimits } from './members.ts'

/** The invite can't be used; the message is for the person using it. */
class InviteError extends Error {
  override name = 'InviteError'
}

const MAX_INVITES = 10_000

/** @throws InviteError */
export function checkCapacityForInvite(db: Db): void {
  if (countInvites(db) >= MAX_INVITES) {
    throw new InviteError(`There are ${MAX_INVITES} invites already; use one with more uses.`)
  }
}

export function createInvite(ctx: IndexContext, request: InviteRequest): void {
  checkCapacityForInvite(ctx.db)
  insertInvite(ctx.db, {
    code: request.code,
    note: request.note,
    max_uses: request.maxUses,
    created_at: ctx.now,
    expires_at: request.expiresAt,
  })
}

/** Accounts that it admitted stay. */
export function disableInvite(ctx: IndexContext, code: string): boolean {
  return disableRow(ctx.db, code, ctx.now)
}

/**
 * Admits the account and gives it its seat, so that no one uses up a code and then finds the server
 * full. An account that returns takes no second use.
 * @throws InviteError
 */
export function redeemInvite(
  ctx: IndexContext,
  did: string,
  { code, ...limits }: SeatLimits & { code: string },
): void {
  if (!inviteToUse(ctx, did, code)) return
  if (!freeSeat(ctx, did, limits)) throw serverFull()
  countUse(ctx.db, code)
  insertAdmission(ctx.db, { did, code, admitted_at: ctx.now })
  memberSeen(ctx, did, null)
}

export function serverFull(): Error {
  return new InviteError('This server is full: it takes no more members.')
}

/** The invite that admits the account; undefined if it is admitted already. @throws InviteError */
export function inviteToUse(
  { db, now }: { db: Db; now: number },
  did: string,
  code: string,
): InviteRow | undefined {
  if (isBanned(db, did)) throw new InviteError('This account is banned here.')
  if (findAdmission(db, did)) return undefined
  const invite = findInvite(db, code)
  const problem = problemOf(invite, now)
  if (problem) throw new InviteError(problem)
  return invite
}

/** Admits an account on the operator's word. */
export function admit(ctx: IndexContext, did: string): void {
  insertAdmission(ctx.db, { did, code: null, admitted_at: ctx.now })
}

export function dismiss(ctx: IndexContext, did: string): void {
  deleteAdmission(ctx.db, did)
}

/** Why the invite can't be used; an unknown code reads like a disabled one. */
function problemOf(invite: InviteRow | undefined, now: number): string | undefined {
  if (!invite || invite.disabled_at !== null) return 'This invite code is not valid.'
  if (invite.expires_at !== null && invite.expires_at <= now) return 'This invite has expired.'
  if (invite.uses >= invite.max_uses) return 'This invite is used up.'
  return undefined
}
