// A `sync` event: the repository was replaced, and no single events describe the change. Our copy must be
// compared with the PDS, for any account.

import type { SyncEvent } from '@slipstream/jetstream'
import { missOfAccount } from './account-gaps.ts'
import type { IndexContext, Outcome } from './index-context.ts'

export function applySync(ctx: IndexContext, event: SyncEvent): Outcome {
  const uid = ctx.actors.uidOf(event.did)
  if (uid === 0) return 'unknown-account'
  missOfAccount(ctx, { uid, cause: 'sync', fromUs: 0, toUs: event.timeUs })
  return 'applied'
}
