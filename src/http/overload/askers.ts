// On whose account an issuer is looked up, so that a token buys no questions to other people's servers for
// nothing: the address pays before anybody is asked, from points of that kind, and whoever has nothing left,
// account or address, is refused without a question. Members are looked up at nobody's cost, once a day each.

import type { XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { Asker, LookupCause } from '../../sources/identity/resolver.ts'
import type { HttpRequest } from '../server/http-request.ts'
import type { RateLimit } from './rate-limits.ts'

export function createAskers(parts: {
  members: RateLimit
  visitors: RateLimit
  /** For documents that are not here, or are asked for anew because a signature failed. */
  lookups: RateLimit
  /** Undefined for whom nothing is limited. */
  visitorOf: (request: HttpRequest) => string | undefined
  isMember: (did: string) => boolean
}): (request: HttpRequest) => Asker {
  const { members, visitors, lookups, visitorOf, isMember } = parts

  function refusal(
    request: HttpRequest,
    { did, cause }: { did: string; cause: LookupCause },
  ): XRPCError | undefined {
    const spent = members.ifSpent(request, did)
    if (spent || (cause === 'unknown' && isMember(did))) return spent
    const address = visitorOf(request)
    if (address === undefined) return undefined
    const refused = visitors.ifSpent(request, address)
    if (refused || cause === 'stale') return refused
    const tooMany = lookups.charge(request, `lookups ${address}`, 1)
    // Of which the answer tells nothing: what comes of the request is charged by itself.
    if (!tooMany) request.limitHeaders = undefined
    return tooMany
  }

  return (request) => new RequestAsker(request, { visitorOf, refusal })
}

type Parts = {
  visitorOf: (request: HttpRequest) => string | undefined
  refusal: (
    request: HttpRequest,
    lookup: { did: string; cause: LookupCause },
  ) => XRPCError | undefined
}

/** A class, since one is made for each request: V8 defines an object literal's getter slowly. */
class RequestAsker implements Asker {
  readonly #request: HttpRequest
  readonly #parts: Parts

  constructor(request: HttpRequest, parts: Parts) {
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
