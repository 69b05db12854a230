// Whether an account is there at all: of nobody's things our tables are not to fill up.

import { invalidRequest } from '../../base/atproto/xrpc-error.ts'
import type { Needs } from './define.ts'

/** @throws XRPCError with these words where the account does not exist */
export async function checkExists(
  { actors, resolver }: Needs<'actors' | 'resolver'>,
  did: string,
  refusal: string,
): Promise<void> {
  const exists = actors.uidOf(did) !== 0 || (await resolver.resolve(did))
  if (!exists) throw invalidRequest(refusal)
}
