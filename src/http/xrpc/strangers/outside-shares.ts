// What a caller may have us ask of other servers: a share of what each allows us (sources/quota.ts).

import { XRPCError } from '../../../base/atproto/xrpc-error.ts'
import type { Asker as LookupAsker } from '../../../sources/identity/resolver.ts'
import type { Quotas } from '../../../sources/quota.ts'
import { LOOKUP_MS } from '../../overload/address-time.ts'
import type { MethodContext } from '../../server/method.ts'

type Shares = { quotas?: Quotas | undefined }
type Who = MethodContext['who']

/** The call that something is looked up for: it pays, since connecting and reading are in no turn of it. */
export type LookedUpFor = Pick<MethodContext, 'who' | 'time'>

/** All directory look-ups count as one host's. */
const DIRECTORY = 'the PLC directory'

/** @throws XRPCError 429 if the caller's share at this host is used up */
export function takeShare({ quotas }: Shares, host: string, who: Who): void {
  if (quotas?.of(host).take(who) ?? true) return
  throw new XRPCError(429, 'RateLimitExceeded', `Too many requests that need ${host}`)
}

/** @throws XRPCError 429 if the call's share at this host is used up; otherwise the call is charged */
export function takeLookup(shares: Shares, host: string, { who, time }: LookedUpFor): void {
  takeShare(shares, host, who)
  time?.addElsewhere(LOOKUP_MS)
}

/** For looking up the DIDs that a call names: in a lane of the caller's, within its share. */
export function lookupsFor(shares: Shares, call: LookedUpFor): LookupAsker {
  return {
    name: call.who?.key,
    beforeLookup(did) {
      const host = did.startsWith('did:web:') ? did.slice('did:web:'.length) : DIRECTORY
      takeLookup(shares, host, call)
    },
  }
}
