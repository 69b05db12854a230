// Identifies callers of the timelines API: a program with a token that the operator issued, or a member with
// a service JWT, who may read their own timelines. Each pays from their own points; failures before the
// caller is known are charged to the address. A caller stays welcome no longer than the token and its key.

import { setTimeout as pause } from 'node:timers/promises'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { forbidden, unauthorized } from '../../../base/atproto/xrpc-error.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { LruMap } from '../../../base/util/lru.ts'
import { bearerToken } from '../../../base/util/secrets.ts'
import type { Db } from '../../../data/store/db.ts'
import type { Caller, Overload } from '../../../http/overload/overload.ts'
import type { OnViewer } from '../../../http/server/auth.ts'
import type { HttpRequest } from '../../../http/server/http-request.ts'
import type { ServiceAuth } from '../../../sources/identity/service-jwt.ts'
import type { TimelineKey } from '../sources/timeline-key.ts'
import { isServiceToken, prepareFindServiceToken } from '../store/programs/service-tokens.ts'
import { allows } from './scopes.ts'

export type Asker = {
  /** Key for limits and kept cursors: `token <name>`, or a DID. */
  name: string
  isMember: boolean
  /** Charges and schedules what the call does. */
  caller: Caller
  may(verb: 'read' | 'post' | 'graph', name: string): boolean
  /**
   * Whether access still holds; for answers that last. A member's ends a minute after the token, so
   * that there is time to connect with another one, or when their identity may have changed.
   */
  isStillWelcome(): boolean
}

/** The `lxm` of a member's token. */
const READ_LXM = 'io.slipstream.timelines.read'
const POINTS = 1
/** Of the names of callers with a token; no DID begins like it. */
export const TOKEN_PREFIX = 'token '
const GRACE_MS = MINUTE_MS
/** Members whose identity changed most recently. */
const MAX_CHANGED = 10_000

export type Access = (request: HttpRequest) => Promise<Asker>

/** @throws XRPCError 401, 403 or 429 */
export function createAccess(parts: {
  db: Db
  serviceAuth: ServiceAuth
  overload: Overload
  onViewer: OnViewer
  isMember: (did: string) => boolean
  /** Reports accounts whose key may have changed, or that were hidden. */
  onIdentitiesChanged: (listener: (dids: readonly string[]) => void) => void
  now?: () => number
}): Access {
  const { db, serviceAuth, overload, onViewer, isMember, now = Date.now } = parts
  const findToken = prepareFindServiceToken(db)
  const identities = createChanges(parts)

  function byToken(request: HttpRequest, token: string): Asker {
    const row = findToken(token, now())
    if (!row) throw unauthorized('InvalidToken', 'This token is not, or no longer, valid')
    const name = TOKEN_PREFIX + row.name
    const caller = overload.admitProgram(request, { name, rate: row.rate }, POINTS)
    const scopes = JSON.parse(row.scopes) as string[]
    return {
      name,
      isMember: false,
      caller,
      may: (verb, what) => allows(scopes, verb, what),
      isStillWelcome: () => findToken(token, now()) !== undefined,
    }
  }

  async function byMember(request: HttpRequest, token: string): Promise<Asker> {
    const options = { asker: overload.askerFor(request) }
    const since = identities.latest()
    const { did, expiresAt } = await serviceAuth.verify(token, READ_LXM, options)
    if (!isMember(did)) throw forbidden('Only members have timelines here', 'NotAMember')
    await onViewer(did, { isForUs: true }, request)
    const caller = overload.admit(request, did, POINTS)
    return {
      name: did,
      isMember: true,
      caller,
      may: (verb, what) => verb === 'read' && ownerOf(what) === did,
      isStillWelcome: () =>
        isMember(did) && now() < expiresAt + GRACE_MS && !identities.hasChanged(did, since),
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

const LOOKED_AGAIN_MS = 1_000

/** Waits while a reader of a stream has no points left, for at most as long as a window lasts. */
export async function untilPaid({ caller }: Pick<Asker, 'caller'>): Promise<void> {
  while (caller.isSpent()) await pause(LOOKED_AGAIN_MS, undefined, { ref: false })
}

/** Runs what a call does when its caller has a turn. @throws XRPCError 429 or 503 */
export function inQueue<T>(
  { overload }: { overload: Pick<Overload, 'run'> },
  { asker, request }: { asker: Asker; request: HttpRequest },
  { run, isHeavy = false }: { run: () => T | Promise<T>; isHeavy?: boolean },
): T | Promise<T> {
  const isGone = () => request.method === 'GET' && request.isGone
  return overload.run(asker.caller, { run, isHeavy, isGone })
}

type ChangeContext = Pick<Parameters<typeof createAccess>[0], 'isMember' | 'onIdentitiesChanged'>

/** Numbers the changes of members' identities, so that a caller's token can be compared with them. */
function createChanges({ isMember, onIdentitiesChanged }: ChangeContext) {
  const changed = new LruMap<string, number>(MAX_CHANGED)
  let latest = 0
  onIdentitiesChanged((dids) => {
    for (const did of dids) if (isMember(did)) changed.set(did, ++latest)
  })
  return {
    latest: () => latest,
    hasChanged: (did: string, since: number) => (changed.get(did) ?? 0) > since,
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
