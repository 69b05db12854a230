// Members added by the operator, who have access even where registration is not open.

import { isBanned } from '../../../data/store/moderation/bans.ts'
import type { IndexContext } from '../index-context.ts'
import { ModerationError } from '../moderation/moderation-error.ts'
import { admit, dismiss } from './invites.ts'
import { memberSeen, removeMember } from './members.ts'

/** They count as not seen yet. @throws ModerationError if they are banned */
export function addMember(ctx: IndexContext, did: string): void {
  if (isBanned(ctx.db, did)) {
    throw new ModerationError(`${did} is banned; \`slipstream moderation allow\` ends that first.`)
  }
  admit(ctx, did)
  memberSeen(ctx, did, null)
}

/**
 * An account named in the configuration, or any account on an open server, becomes a member again
 * with its next request.
 */
export function endMembership(ctx: IndexContext, did: string): void {
  dismiss(ctx, did)
  removeMember(ctx, did)
}
