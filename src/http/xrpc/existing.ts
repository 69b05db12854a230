// Whether an account is there at all: of nobody's things our tables are not to fill up. Looking up one that nobody
// here heard of costs, like one that a member looks at (fetch-requests.ts).

import { invalidRequest, tooManyFetches } from '../../base/atproto/xrpc-error.ts'
import type { Needs } from './define.ts'

/**
 * @param asked - `viewer`: who wants to know; `refusal`: what they are told of one that does not exist
 * @throws XRPCError with these words where the account does not exist; 429 where too many were looked up
 */
export async function checkExists(
  { actors, resolver, lookups }: Needs<'actors' | 'resolver' | 'lookups'>,
  did: string,
  { viewer, refusal }: { viewer: { did: string }; refusal: string },
): Promise<void> {
  if (actors.uidOf(did) !== 0) return
  if (lookups?.left(viewer.did, Date.now()) === 0) throw tooManyFetches()
  lookups?.spend(viewer.did, 1, Date.now())
  if (!(await resolver.resolve(did))) throw invalidRequest(refusal)
}
