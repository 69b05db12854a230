// A `sync` event: the repository was replaced, and no single events say how. What we hold of it is
// to be compared with its PDS, whoever's it is.

import type { SyncEvent } from '../../base/event.ts'
import { missOfAccount } from './account-gaps.ts'
import type { IndexContext, Outcome } from './index-context.ts'

export function applySync(ctx: IndexContext, event: SyncEvent): Outcome {
  const uid = ctx.actors.uidOf(event.did)
  if (uid === 0) return 'unknown-account'
  missOfAccount(ctx, { uid, cause: 'sync', fromUs: 0, toUs: event.timeUs })
  return 'applied'
}
