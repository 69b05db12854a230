// Members by the operator's word: they may read here also where not everybody may.

import { isBanned } from '../../data/store/bans.ts'
import type { IndexContext } from './index-context.ts'
import { admit, dismiss } from './invites.ts'
import { memberSeen, removeMember } from './members.ts'
import { ModerationError } from './moderation-error.ts'

/** They count as not seen yet. @throws ModerationError where they are banned */
export function addMember(ctx: IndexContext, did: string): void {
  if (isBanned(ctx.db, did)) {
    throw new ModerationError(`${did} is banned; \`slipstream moderation allow\` ends that first.`)
  }
  admit(ctx, did)
  memberSeen(ctx, did, null)
}

/** Whom the configuration names, or where it is open to all, comes in again by asking. */
export function endMembership(ctx: IndexContext, did: string): void {
  dismiss(ctx, did)
  removeMember(ctx, did)
}
