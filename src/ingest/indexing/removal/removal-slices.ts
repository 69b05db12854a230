// Removes a deleted account with many records slice by slice, so that the stream is not held up. The event's
// transaction hides the account, takes it out of timelines, and removes its first few hundred records; from
// then on none of its records are accepted. The rest goes in slices, each a separate transaction in which
// counts and memory follow the rows, as if the records were deleted one by one. Accounts stay in `removals`, so
// a restart goes on, until their private rows are gone too (ingest/upkeep/removing.ts).

import {
  deleteRemoval,
  insertRemoval,
  isBeingRemoved,
  markRemovalDone,
} from '../../../data/store/removal/removals.ts'
import { everyRule } from '../collections/all-rules.ts'
import type { IndexContext } from '../index-context.ts'
import { removeAccount } from './account-removal.ts'
import { forgetAccount } from './forget-account.ts'

const REMOVED_AT_ONCE = 500

/** Starts the removal of a deleted account that is already hidden. */
export function beginRemoval(ctx: IndexContext, uid: number): void {
  ctx.deletedAccounts.add(uid)
  ctx.changes.push({ kind: 'actor-removed', uid })
  insertRemoval(ctx.db, uid, ctx.now)
  removeSlice(ctx, uid)
}

/** Removes the next few hundred records. @returns whether none is left */
export function removeSlice(ctx: IndexContext, uid: number): boolean {
  let left = REMOVED_AT_ONCE
  for (const { removeSome } of everyRule) {
    if (removeSome && left > 0) left -= removeSome(ctx, uid, left)
  }
  if (left <= 0) return false
  removeRest(ctx, uid)
  markRemovalDone(ctx.db, uid)
  return true
}

/** Removes all the rest at once, since the account is back; its private rows stay. */
export function finishRemoval(ctx: IndexContext, uid: number): void {
  removeRest(ctx, uid)
  deleteRemoval(ctx.db, uid)
}

function removeRest(ctx: IndexContext, uid: number): void {
  if (!isBeingRemoved(ctx.db, uid)) return
  removeAccount(ctx, uid)
  forgetAccount(ctx, uid)
}
