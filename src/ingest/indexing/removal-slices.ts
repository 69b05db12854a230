// The deletion of an account that has many records, slice by slice, so that the stream is not held up. In the
// transaction of its event the account is hidden, leaves the timelines, and its first few hundred records go; from
// then on nothing more is accepted of it. What is left goes in slices, each a transaction of its own in which counts
// and memory follow the rows, as if the records were deleted one by one. Who still has records to go stands in
// `removals`, so a restart goes on.

import { deleteRemoval, insertRemoval, isBeingRemoved } from '../../data/store/removals.ts'
import { removeAccount } from './account-removal.ts'
import { everyRule } from './collections/all-rules.ts'
import type { IndexContext } from './index-context.ts'

const REMOVED_AT_ONCE = 500

/** The account was deleted, and is hidden already. */
export function beginRemoval(ctx: IndexContext, uid: number): void {
  ctx.deletedAccounts.add(uid)
  ctx.changes.push({ kind: 'actor-removed', uid })
  insertRemoval(ctx.db, uid, ctx.now)
  removeSlice(ctx, uid)
}

/** The next few hundred records. @returns whether nothing is left. */
export function removeSlice(ctx: IndexContext, uid: number): boolean {
  let left = REMOVED_AT_ONCE
  for (const { removeSome } of everyRule) {
    if (removeSome && left > 0) left -= removeSome(ctx, uid, left)
  }
  if (left <= 0) return false
  finishRemoval(ctx, uid)
  return true
}

/** All that is left, where that can't wait: the account is back. */
export function finishRemoval(ctx: IndexContext, uid: number): void {
  if (!isBeingRemoved(ctx.db, uid)) return
  removeAccount(ctx, uid)
  deleteRemoval(ctx.db, uid)
}
