// Checks that an account exists, so that made-up accounts don't fill our tables. Looking up an account
// unknown here is charged, like one that a member views (fetch-requests.ts).

import { invalidRequest, tooManyFetches } from '../../../base/atproto/xrpc-error.ts'
import { LOOKUP_MS } from '../../overload/address-time.ts'
import type { SignedInCall } from '../call.ts'
import type { Needs } from '../define.ts'
import { notHereYet } from '../waiting/not-here.ts'

/**
 * @param by - the call that names the account
 * @throws XRPCError with the message `refusal` if the account does not exist; 503 if that can't be told now;
 *   429 after too many look-ups
 */
export async function checkExists(
  { actors, resolver, lookups }: Needs<'actors' | 'resolver' | 'lookups'>,
  did: string,
  { by, refusal }: { by: Pick<SignedInCall, 'viewer' | 'time'>; refusal: string },
): Promise<void> {
  const { viewer, time } = by
  if (actors.uidOf(did) !== 0) return
  if (lookups?.left(viewer.did, Date.now()) === 0) throw tooManyFetches()
  lookups?.spend(viewer.did, 1, Date.now())
  const asker = { beforeLookup: () => time?.addElsewhere(LOOKUP_MS) }
  const identity = await resolver.resolve(did, { asker }).catch(() => {
    throw notHereYet(refusal)
  })
  if (!identity) throw invalidRequest(refusal)
}
