// Members by the operator's word: they may read here also where not everybody may.

import type { IndexContext } from './index-context.ts'
import { admit, dismiss } from './invites.ts'
import { memberSeen, removeMember } from './members.ts'

/** They count as not seen yet. */
export function addMember(ctx: IndexContext, did: string): void {
  admit(ctx, did)
  memberSeen(ctx, did, null)
}

/** Whom the configuration names, or where it is open to all, comes in again by asking. */
export function endMembership(ctx: IndexContext, did: string): void {
  dismiss(ctx, did)
  removeMember(ctx, did)
}
