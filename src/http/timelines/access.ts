// Identifies callers of the timelines API: a program with a token that the operator issued, or a member with
// a service JWT, who may read their own timelines. Each pays from their own points; failures before the
// caller is known are charged to the address.

import type { TimelineKey } from '../../answers/timelines/timeline-key.ts'
import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import { forbidden, unauthorized } from '../../base/atproto/xrpc-error.ts'
import { bearerToken } from '../../base/util/secrets.ts'
import type { Db } from '../../data/store/db.ts'
import { isServiceToken, prepareFindServiceToken } from '../../data/store/service-tokens.ts'
import type { ServiceAuth } from '../../sources/identity/service-jwt.ts'
import type { Overload } from '../overload/overload.ts'
import { createRateLimit, type RateLimit } from '../overload/rate-limits.ts'
import type { OnViewer } from '../server/auth.ts'
import type { HttpRequest } from '../server/http-request.ts'
import { allows } from './scopes.ts'

export type Asker = {
  /** Key for limits and kept cursors: `token <name>`, or a DID. */
  name: string
  isMember: boolean
  may(verb: 'read' | 'post' | 'graph', name: string): boolean
  /** Whether access still holds; for streams, which last. */
  isStillWelcome(): boolean
}

/** The `lxm` of a member's token. */
const READ_LXM = 'io.slipstream.timelines.read'
const POINTS = 1

export type Access = (request: HttpRequest) => Promise<Asker>

/** @throws XRPCError 401, 403 or 429 */
export function createAccess(parts: {
  db: Db
  serviceAuth: ServiceAuth
  overload: Overload
  onViewer: OnViewer
  isMember: (did: string) => boolean
  /** Holds the rate-limit points of tokens. */
  buffer: SharedArrayBuffer
  now?: () => number
}): Access {
  const { db, serviceAuth, overload, onViewer, isMember, buffer, now = Date.now } = parts
  const limits = new Map<number, RateLimit>()
  const findToken = prepareFindServiceToken(db)

  function limitOf(rate: number): RateLimit {
    const found = limits.get(rate) ?? createRateLimit({ buffer, limit: rate, now })
    limits.set(rate, found)
    return found
  }

  function byToken(request: HttpRequest, token: string): Asker {
    const row = findToken(token, now())
    if (!row) throw unauthorized('InvalidToken', 'This token is not, or no longer, valid')
    const name = `token ${row.name}`
    const refused = limitOf(row.rate).charge(request, name, POINTS)
    if (refused) throw refused
    const scopes = JSON.parse(row.scopes) as string[]
    return {
      name,
      isMember: false,
      may: (verb, what) => allows(scopes, verb, what),
      isStillWelcome: () => findToken(token, now()) !== undefined,
    }
  }

  async function byMember(request: HttpRequest, token: string): Promise<Asker> {
    const options = { asker: overload.askerFor(request) }
    const { did } = await serviceAuth.verify(token, READ_LXM, options)
    if (!isMember(did)) throw forbidden('Only members have timelines here', 'NotAMember')
    await onViewer(did, { isForUs: true }, request)
    overload.admit(request, did, POINTS)
    return {
      name: did,
      isMember: true,
      may: (verb, what) => verb === 'read' && ownerOf(what) === did,
      isStillWelcome: () => isMember(did),
    }
  }

  return async (request) => {
    const token = bearerToken(request.header('authorization'))
    if (token === undefined) {
      throw unauthorized('AuthMissing', 'A bearer token is required: see docs/TIMELINES.md')
    }
    return isServiceToken(token) ? byToken(request, token) : byMember(request, token)
  }
}

/** @throws XRPCError 403 if this caller may not access one of the timelines */
export function checkMay(asker: Asker, verb: 'read' | 'post', keys: readonly TimelineKey[]): void {
  for (const { text } of keys) {
    if (asker.may(verb, text)) continue
    throw forbidden(
      asker.isMember
        ? 'Members may read only their own timelines: others need an operator’s token'
        : `This token may not ${verb} ${text}`,
      'OutOfScope',
    )
  }
}

/** The DID that a timeline is about. */
function ownerOf(key: string): string | undefined {
  const colon = key.indexOf(':')
  const kind = key.slice(0, colon)
  const name = key.slice(colon + 1)
  if (kind === 'list') return parseRecordUri(name)?.did
  return kind === 'custom' ? undefined : name
}
