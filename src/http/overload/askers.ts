// Look-ups of token issuers are charged, so that a token cannot cause free requests to other servers. The address
// pays before a request is sent, from its look-up points; if the address or the account has none left, the
// call is refused without one. The work of a look-up counts against the address's time, too. Look-ups of members are
// free, once a day each.

import type { XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { Asker, LookupCause } from '../../sources/identity/resolver.ts'
import { type AddressTime, LOOKUP_MS } from './address-time.ts'
import type { ChargedRequest } from './charged-request.ts'
import type { RateLimit } from './rate-limits.ts'

export function createAskers(parts: {
  members: RateLimit
  visitors: RateLimit
  /** For DID documents that are not cached, or are refetched after a signature failure. */
  lookups: RateLimit
  time: Pick<AddressTime, 'add'>
  /** Undefined for visitors without limits. */
  visitorOf: (request: ChargedRequest) => string | undefined
  isMember: (did: string) => boolean
}): (request: ChargedRequest) => Asker {
  const { members, visitors, lookups, time, visitorOf, isMember } = parts

  function refusal(
    request: ChargedRequest,
    { did, cause }: { did: string; cause: LookupCause },
  ): XRPCError | undefined {
    const spent = members.ifSpent(request, did)
    if (spent || (cause === 'unknown' && isMember(did))) return spent
    const address = visitorOf(request)
    if (address === undefined) return undefined
    const refused = visitors.ifSpent(request, address)
    if (refused || cause === 'stale') return refused
    const tooMany = lookups.charge(request, `lookups ${address}`, 1)
    if (tooMany) return tooMany
    time.add(address, LOOKUP_MS)
    // Not shown in the answer, as the request itself is charged separately.
    request.limitHeaders = undefined
    return undefined
  }

  return (request) => new RequestAsker(request, { visitorOf, refusal })
}

type Dependencies = {
  visitorOf: (request: ChargedRequest) => string | undefined
  refusal: (
    request: ChargedRequest,
    lookup: { did: string; cause: LookupCause },
  ) => XRPCError | undefined
}

/** A class, since one is made per request: V8 defines an object literal's getter slowly. */
class RequestAsker implements Asker {
  readonly #request: ChargedRequest
  readonly #parts: Dependencies

  constructor(request: ChargedRequest, parts: Dependencies) {
    this.#request = request
    this.#parts = parts
  }

  get name(): string | undefined {
    return this.#parts.visitorOf(this.#request)
  }

  beforeLookup(did: string, cause: LookupCause): void {
    const refused = this.#parts.refusal(this.#request, { did, cause })
    if (refused) throw refused
  }
}
