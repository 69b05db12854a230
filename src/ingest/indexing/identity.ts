// An `identity` event: the handle or the DID document changed. Its content is not trusted; the account is
// looked up again in the background, if it matters here, and a member's stored identity no longer counts.
// Where everything is kept, it is also how a new account becomes known, before its first record.

import type { IdentityEvent } from '@slipstream/jetstream'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { enqueueJobAgain, hastenJob } from '../../data/store/fetching/jobs.ts'
import { doubtStoredIdentity } from '../../data/store/members/stored-identities.ts'
import { findActor, forgetActorIdentity } from '../../data/store/records/actors.ts'
import {
  type IndexContext,
  internActor,
  isAuthor,
  isMember,
  type Outcome,
} from './index-context.ts'

/** However often the look-up failed before: the event may tell that what failed was mended. */
const AGAIN_WITHIN_MS = MINUTE_MS

export function applyIdentity(ctx: IndexContext, event: IdentityEvent): Outcome {
  const storesAll = ctx.scope === 'network'
  const uid = storesAll ? internActor(ctx, event.did) : ctx.actors.uidOf(event.did)
  const actor = uid === 0 ? undefined : findActor(ctx.db, uid)
  if (!actor) return 'unknown-account'
  if (isMember(ctx, uid)) doubtStoredIdentity(ctx.db, uid, ctx.now)
  const isWanted = storesAll || actor.identity_checked_at !== null || isAuthor(ctx, uid)
  if (!isWanted) return 'out-of-scope'
  forgetActorIdentity(ctx.db, uid)
  enqueueJobAgain(ctx.db, 'identity', uid)
  hastenJob(ctx.db, 'identity', uid, ctx.now + AGAIN_WITHIN_MS)
  return 'applied'
}
