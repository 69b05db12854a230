// Letting accounts in, and invites to that. Called through `Indexer.run`.

import { deleteAdmission, findAdmission, insertAdmission } from '../../data/store/admissions.ts'
import { isBanned } from '../../data/store/bans.ts'
import type { Db } from '../../data/store/db.ts'
import {
  countInvites,
  countUse,
  disableInvite as disableRow,
  findInvite,
  type InviteRow,
  type InviteWish,
  insertInvite,
} from '../../data/store/invites.ts'
import type { IndexContext } from './index-context.ts'

/** The invite lets nobody in; the message is for whoever came with it. */
class InviteError extends Error {
  override name = 'InviteError'
}

const MAX_INVITES = 10_000

/** @throws InviteError */
export function checkRoomForInvite(db: Db): void {
  if (countInvites(db) >= MAX_INVITES) {
    throw new InviteError(`There are ${MAX_INVITES} invites already; use one with more uses.`)
  }
}

export function createInvite(ctx: IndexContext, wish: InviteWish): void {
  checkRoomForInvite(ctx.db)
  insertInvite(ctx.db, {
    code: wish.code,
    note: wish.note,
    max_uses: wish.maxUses,
    created_at: ctx.now,
    expires_at: wish.expiresAt,
  })
}

/** Whom it let in stays. */
export function disableInvite(ctx: IndexContext, code: string): boolean {
  return disableRow(ctx.db, code, ctx.now)
}

/**
 * Lets the account in; once, so that an account which comes twice takes no second use.
 * @throws InviteError
 */
export function redeemInvite(ctx: IndexContext, did: string, code: string): void {
  if (!inviteToUse(ctx, did, code)) return
  countUse(ctx.db, code)
  insertAdmission(ctx.db, { did, code, admitted_at: ctx.now })
}

/** The invite that lets the account in; undefined where it is in already. @throws InviteError */
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

/** By the operator's word. */
export function admit(ctx: IndexContext, did: string): void {
  insertAdmission(ctx.db, { did, code: null, admitted_at: ctx.now })
}

export function dismiss(ctx: IndexContext, did: string): void {
  deleteAdmission(ctx.db, did)
}

/** Why it lets nobody in; a code that never was says no more than one that is over. */
function problemOf(invite: InviteRow | undefined, now: number): string | undefined {
  if (!invite || invite.disabled_at !== null) return 'This invite code is not valid.'
  if (invite.expires_at !== null && invite.expires_at <= now) return 'This invite has expired.'
  if (invite.uses >= invite.max_uses) return 'This invite is used up.'
  return undefined
}
