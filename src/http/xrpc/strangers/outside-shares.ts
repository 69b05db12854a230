// What a caller may have us ask of other servers: a share of what each allows us (sources/quota.ts).

import { XRPCError } from '../../../base/atproto/xrpc-error.ts'
import type { Asker as LookupAsker } from '../../../sources/identity/resolver.ts'
import type { Quotas } from '../../../sources/quota.ts'
import { LOOKUP_MS } from '../../overload/address-time.ts'
import { chargeFor } from '../../server/wait-left.ts'
import type { Call } from '../call.ts'

type Shares = { quotas?: Quotas | undefined }
type Who = Call['who']

/** All directory look-ups count as one host's. */
const DIRECTORY = 'the PLC directory'

/** @throws XRPCError 429 if the caller's share at this host is used up */
export function takeShare({ quotas }: Shares, host: string, who: Who): void {
  if (quotas?.of(host).take(who) ?? true) return
  throw new XRPCError(429, 'RateLimitExceeded', `Too many requests that need ${host}`)
}

/**
 * For looking up the DIDs that a call names: in a lane of the caller's, within its share.
 * @param signal - of the call, which is charged for each
 */
export function lookupsFor(shares: Shares, who: Who, signal?: AbortSignal): LookupAsker {
  return {
    name: who?.key,
    beforeLookup(did) {
      const host = did.startsWith('did:web:') ? did.slice('did:web:'.length) : DIRECTORY
      takeShare(shares, host, who)
      if (signal) chargeFor(signal, LOOKUP_MS)
    },
  }
}
