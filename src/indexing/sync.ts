// A `sync` event: the repository was replaced, and no single events say how. What we hold of it is
// to be compared with its PDS.

import type { SyncEvent } from '../jetstream/event.ts'
import { enqueueJobAgain } from '../store/jobs.ts'
import { type IndexContext, isAuthor, type Outcome } from './index-context.ts'

export function applySync(ctx: IndexContext, event: SyncEvent): Outcome {
  const uid = ctx.actors.uidOf(event.did)
  if (uid === 0) return 'unknown-account'
  if (!isAuthor(ctx, uid)) return 'out-of-scope'
  enqueueJobAgain(ctx.db, 'repo', uid)
  return 'applied'
}
