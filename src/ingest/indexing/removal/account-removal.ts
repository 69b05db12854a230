// Removes every row of a deleted account, and its share of counts. Others' records about the account stay,
// since they are still in their repositories; so do, for a while, its membership and its private state, which
// exists only here and would be lost if the account returned (ingest/upkeep/removing.ts).

import { forgetSeedActorCounts } from '../../../data/store/counts/seed-counts.ts'
import { deleteBackfillsOf } from '../../../data/store/fetching/backfills.ts'
import { deleteNotificationsBy } from '../../../data/store/notifications/notifications.ts'
import { everyRule } from '../collections/all-rules.ts'
import type { IndexContext } from '../index-context.ts'

export function removeAccount(ctx: IndexContext, uid: number): void {
  for (const { removeAll } of everyRule) removeAll(ctx, uid)
  deleteNotificationsBy(ctx.db, uid)
  deleteBackfillsOf(ctx.db, uid)
  forgetSeedActorCounts(ctx.db, uid)
  ctx.deletedAccounts.add(uid)
  ctx.changes.push({ kind: 'actor-removed', uid })
}
