// On whose account an issuer is looked up, so that a token buys no questions to other people's servers for
// nothing: the address pays before anybody is asked, and whoever has nothing left, account or address, is
// refused without a question. Members are looked up at nobody's cost, once a day each.

import type { Asker, LookupCause } from '../../identity/resolver.ts'
import type { XRPCError } from '../errors.ts'
import type { HttpRequest } from '../http-request.ts'
import type { RateLimit } from './rate-limits.ts'

/** Of a document that is not here, or is asked for anew because a signature failed. */
const LOOKUP_POINTS = 5

export function createAskers(parts: {
  members: RateLimit
  visitors: RateLimit
  /** Undefined for whom nothing is limited. */
  visitorOf: (request: HttpRequest) => string | undefined
  isMember: (did: string) => boolean
}): (request: HttpRequest) => Asker {
  const { members, visitors, visitorOf, isMember } = parts

  function refusal(
    request: HttpRequest,
    { did, cause }: { did: string; cause: LookupCause },
  ): XRPCError | undefined {
    const spent = members.ifSpent(request, did)
    if (spent || (cause === 'unknown' && isMember(did))) return spent
    const address = visitorOf(request)
    if (address === undefined) return undefined
    if (cause === 'stale') return visitors.ifSpent(request, address)
    return visitors.charge(request, address, LOOKUP_POINTS)
  }

  return (request) => ({
    get name() {
      return visitorOf(request)
    },
    beforeLookup(did, cause) {
      const refused = refusal(request, { did, cause })
      if (refused) throw refused
    },
  })
}
