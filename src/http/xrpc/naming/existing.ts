// Checks that an account exists, so that made-up accounts don't fill our tables. Looking up an account
// unknown here is charged, like one that a member views (fetch-requests.ts).

import { invalidRequest, tooManyFetches } from '../../../base/atproto/xrpc-error.ts'
import type { Needs } from '../define.ts'
import { notHereYet } from '../waiting/not-here.ts'

/**
 * @param asked - `viewer`: the caller; `refusal`: the message if the account does not exist
 * @throws XRPCError with this message if the account does not exist; 503 if that can't be told now;
 *   429 after too many look-ups
 */
export async function checkExists(
  { actors, resolver, lookups }: Needs<'actors' | 'resolver' | 'lookups'>,
  did: string,
  { viewer, refusal }: { viewer: { did: string }; refusal: string },
): Promise<void> {
  if (actors.uidOf(did) !== 0) return
  if (lookups?.left(viewer.did, Date.now()) === 0) throw tooManyFetches()
  lookups?.spend(viewer.did, 1, Date.now())
  const identity = await resolver.resolve(did).catch(() => {
    throw notHereYet(refusal)
  })
  if (!identity) throw invalidRequest(refusal)
}
