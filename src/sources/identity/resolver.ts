// Resolves DIDs and handles: a bounded cache in front of the PLC directory, did:web hosts and DNS. An
// identity is fresh for an hour and valid for a day: in between it is returned at once and renewed in the
// background, and it stays if the directory is down. Members' identities outlive the process, for when the
// directory does not answer. Lookups wait in small queues, and renewals on demand are limited for each DID,
// so that no client can make us hammer the directory.

import type { Logger } from '../../base/obs/log.ts'
import { createLimiter, type Limiter } from '../../base/util/limiter.ts'
import { within } from '../../base/util/waits.ts'
import type { Identity } from './did-document.ts'
import { createDnsCheck } from './dns-check.ts'
import {
  documentUrl,
  fetchIdentity,
  IdentityUnavailableError,
  UnansweredError,
} from './fetch-identity.ts'
import type { GuardedFetch } from './guarded-fetch.ts'
import { createPublicLookup, type LookupAddresses, type PrivateHosts } from './guarded-lookup.ts'
import {
  askPds,
  createTxtResolver,
  type HandleLookup,
  lookupHandle,
  type ResolveTxt,
} from './handle-lookup.ts'
import { type CachedIdentities, createIdentityMemory } from './identity-memory.ts'
import { registrableDomain } from './registrable-domain.ts'
import { createRenewalLimit } from './renewal-limit.ts'

export type Resolver = {
  /**
   * The identity, or undefined if the DID does not exist.
   * @throws IdentityUnavailableError if it can't be resolved now.
   */
  resolve(did: string, options?: ResolveOptions): Promise<Identity | undefined>
  /** The DID document may have changed: the cached one is looked up again before it is trusted. */
  doubt(did: string): void
  /**
   * The DID that a handle resolves to, or undefined if it resolves to none; does not check whether
   * the account claims the handle.
   * @throws IdentityUnavailableError if that can't be found out now.
   */
  resolveHandle(handle: string): Promise<string | undefined>
  /** Whether handle and DID name each other; undefined if that can't be checked now. */
  verifyHandle(did: string, handle: string): Promise<boolean | undefined>
  /** Why nothing follows from a name that DNS does not find, if so; a private network may have no DNS. */
  dnsTrouble(): Promise<string | undefined>
}

export type ResolveOptions = {
  forceRefresh?: boolean
  /** If a renewal is refused because of too many requests, throws instead of using the cache. */
  isFreshOnly?: boolean
  asker?: Asker | undefined
}

/** Reason for a lookup: the DID is not cached, the cached identity did not work, or it is old. */
export type LookupCause = 'unknown' | 'renewal' | 'stale'

export type Asker = {
  /** Requests with the same name wait for each other, and not for the slow hosts of others. */
  name?: string | undefined
  /**
   * Called before any request is sent. Throwing ends the lookup; for `stale`, the cached identity
   * is used.
   */
  beforeLookup?(did: string, cause: LookupCause): void
}

type ResolverOptions = {
  fetch: GuardedFetch
  plcUrl: string
  /** Milliseconds since 1970. */
  now?: () => number
  log?: Pick<Logger, 'debug'>
  /**
   * On networks without DNS, also trusts an account's own PDS about its handle. Never on the open
   * internet: a PDS could then give its accounts any name.
   */
  allowPrivateHosts?: PrivateHosts
  resolveTxt?: ResolveTxt
  /** Whether DNS finds any name; not used where `allowPrivateHosts` says that there may be none. */
  addressesOf?: LookupAddresses
  /** Called when a lookup finds another signing key than the cached one. */
  onKeyChanged?: (did: string) => void
  /** Members' identities must not be delayed or evicted by a flood of strangers' ones. */
  isMember?: (did: string) => boolean
  /** Where members' identities are kept outside this process; without it they are not. */
  identities?: CachedIdentities
  /**
   * Concurrent look-ups of strangers at the directory. `fetch` needs a connection for each, or they
   * wait for each other there.
   */
  atDirectory?: number
}

/** Hosts that strangers name may be silent for their three seconds each, hence the many slots. */
const MAX_RUNNING = { plc: 16, web: 256, memberPlc: 8, memberWeb: 64, handle: 128 }
/** Most slots for one asker. */
const SHARE_EACH = 0.75
/** Most handle slots for the names of one domain. */
const SHARE_OF_DOMAIN = 1 / 8
/** Concurrent lookups at one did:web host, under different DIDs. */
const MAX_PER_HOST = 4
/**
 * Connections that the `fetch` of a resolver needs, so that its queues don't meet again at the
 * directory.
 */
export const LOOKUPS_PER_ORIGIN = MAX_RUNNING.plc + MAX_RUNNING.memberPlc
const MAX_WAITING = 2000
/** A connection to another host each: half a millisecond before the thread is left to others. */
const MAX_BEGUN_A_TURN = 8
/** How long to wait for a directory if an earlier process's identity could be used instead. */
const RESTORED_WAIT_MS = 1000

/**
 * Several queues, since anyone can make us look up a DID or a handle and choose how slow its host
 * is: handles, did:web and did:plc are queued separately, members apart from strangers, and
 * strangers' lookups take turns by asker. Handles are queued by domain. An asker may also be
 * charged before any request is sent.
 */
export function createResolver(options: ResolverOptions): Resolver {
  const { resolve, doubt } = createResolve(options)
  return { resolve, doubt, ...createHandleResolver(options, resolve) }
}

function createResolve(options: ResolverOptions): Pick<Resolver, 'resolve' | 'doubt'> {
  const { now = Date.now, isMember = () => false, identities } = options
  const memory = createIdentityMemory({ now, isMember, identities })
  const { inFlight, renew } = createRenewals({ ...options, now, isMember }, memory)
  const mayForce = createRenewalLimit(now)

  /** The directory's answer if it arrives quickly, otherwise the restored identity. */
  async function confirm(
    restored: Identity,
    name: string | undefined,
  ): Promise<Identity | undefined> {
    const { did } = restored
    const work = renew(did, name).then((identity) => ({ identity }))
    const answer = await within(RESTORED_WAIT_MS, work)
    if (!answer) memory.settleFor(did)
    return answer ? answer.identity : restored
  }

  function renewBehind(did: string, asker: Asker): void {
    if (mayRenew(asker, did)) renew(did, asker.name).catch(() => undefined) // lookUp has logged it
  }

  async function resolve(
    did: string,
    { forceRefresh = false, isFreshOnly = false, asker = {} }: ResolveOptions = {},
  ): Promise<Identity | undefined> {
    if (forceRefresh) asker.beforeLookup?.(did, 'renewal')
    if (forceRefresh && mayForce(did)) return renew(did, asker.name)
    if (forceRefresh && isFreshOnly) throw tooOften()
    const found = memory.find(did)
    const failure = memory.findFailure(did)
    const isBelieved = found?.trust === 'fresh' || found?.trust === 'stale'
    if (found && (failure || isBelieved)) {
      if (found.trust === 'stale' && !failure) renewBehind(did, asker)
      return found.identity
    }
    if (failure?.error) throw failure.error
    if (failure) return undefined
    if (!inFlight.has(did)) asker.beforeLookup?.(did, 'unknown')
    return found?.trust === 'restored'
      ? confirm(found.identity, asker.name)
      : renew(did, asker.name)
  }

  function doubt(did: string): void {
    memory.doubt(did)
    // A lookup in progress may have read the document before the change.
    const running = inFlight.get(did)
    if (running) void running.catch(() => undefined).then(() => memory.doubt(did))
  }

  return { resolve, doubt }
}

/** Lookups that store their results in `memory`. */
function createRenewals(
  options: ResolverOptions & Required<Pick<ResolverOptions, 'now' | 'isMember'>>,
  memory: ReturnType<typeof createIdentityMemory>,
) {
  const { fetch, plcUrl, log, now, isMember } = options
  const queueOf = createQueues(isMember, options.atDirectory)
  const atHost = createHostLimit(plcUrl)
  const inFlight = new Map<string, Promise<Identity | undefined>>()

  /** One lookup at a time for each DID; concurrent callers share it. */
  function renew(did: string, name: string | undefined): Promise<Identity | undefined> {
    const running = inFlight.get(did)
    if (running) return running
    const renewal = lookUp(did, name).finally(() => inFlight.delete(did))
    inFlight.set(did, renewal)
    return renewal
  }

  /** A cached identity is still used while the directory fails. */
  async function lookUp(did: string, name: string | undefined): Promise<Identity | undefined> {
    const asOf = now()
    try {
      const ask = () =>
        queueOf(did).run(() => atHost(did, () => fetchIdentity(did, { fetch, plcUrl })), name)
      // A failure locks a member out for a while, so one hiccup or a suspended process must not be
      // enough.
      const identity = await (isMember(did) ? ask().catch(ask) : ask())
      const before = memory.find(did)?.identity
      if (before && before.signingKey !== identity?.signingKey) options.onKeyChanged?.(did)
      if (identity) memory.remember(identity, asOf)
      else memory.rememberMissing(did, asOf)
      return identity
    } catch (error) {
      log?.debug({ did, err: error }, 'identity unavailable')
      memory.rememberError(did, error as Error)
      const found = memory.find(did)
      if (found) return found.identity
      throw error
    }
  }

  return { inFlight, renew }
}

/** If not, the cached identity is used. */
function mayRenew(asker: Asker, did: string): boolean {
  try {
    asker.beforeLookup?.(did, 'stale')
    return true
  } catch {
    return false
  }
}

/** Refuses further lookups at the same host beyond a limit, for a later retry. */
function createHostLimit(plcUrl: string) {
  const running = new Map<string, number>()
  return async <T>(did: string, work: () => Promise<T>): Promise<T> => {
    const url = did.startsWith('did:web:') ? documentUrl(did, plcUrl) : undefined
    if (!url) return work()
    const { origin } = new URL(url)
    const count = running.get(origin) ?? 0
    if (count >= MAX_PER_HOST) throw tooMany()
    running.set(origin, count + 1)
    try {
      return await work()
    } finally {
      const left = running.get(origin)! - 1
      if (left > 0) running.set(origin, left)
      else running.delete(origin)
    }
  }
}

function tooOften(): IdentityUnavailableError {
  return new IdentityUnavailableError('looked up too often recently')
}

function tooMany(): IdentityUnavailableError {
  return new IdentityUnavailableError('too many look-ups at once')
}

function createQueues(
  isMember: (did: string) => boolean,
  atDirectory = MAX_RUNNING.plc,
): (did: string) => Limiter {
  const members = {
    plc: createQueue(MAX_RUNNING.memberPlc),
    web: createQueue(MAX_RUNNING.memberWeb, { maxBegunATurn: MAX_BEGUN_A_TURN }),
  }
  const strangers = {
    plc: createQueue(atDirectory),
    web: createQueue(MAX_RUNNING.web, { maxBegunATurn: MAX_BEGUN_A_TURN }),
  }
  return (did) => {
    const queues = isMember(did) ? members : strangers
    return did.startsWith('did:web:') ? queues.web : queues.plc
  }
}

function createQueue(
  maxRunning: number,
  { shareEach = SHARE_EACH, maxBegunATurn = Number.POSITIVE_INFINITY } = {},
): Limiter {
  return createLimiter({
    maxRunning,
    maxRunningEach: Math.ceil(maxRunning * shareEach),
    maxWaiting: MAX_WAITING,
    maxBegunATurn,
    full: tooMany,
  })
}

function createHandleResolver(
  options: ResolverOptions,
  resolve: Resolver['resolve'],
): Pick<Resolver, 'resolveHandle' | 'verifyHandle' | 'dnsTrouble'> {
  const { fetch, plcUrl, now, allowPrivateHosts } = options
  const { resolveTxt = createTxtResolver(), addressesOf = createPublicLookup() } = options
  const queue = createQueue(MAX_RUNNING.handle, {
    shareEach: SHARE_OF_DOMAIN,
    maxBegunATurn: MAX_BEGUN_A_TURN,
  })
  const dns = createDnsCheck({ plcUrl, addressesOf, now })

  async function lookup(handle: string): Promise<HandleLookup & { why?: string }> {
    const work = () => lookupHandle(handle.toLowerCase(), { fetch, resolveTxt })
    const found = await queue.run(work, registrableDomain(handle))
    if (!found.certain) return { ...found, why: 'the network gives no answer' }
    if (!found.isNoName || allowPrivateHosts === true) return found
    const why = await dnsTrouble()
    return why === undefined ? found : { ...found, certain: false, why }
  }

  async function dnsTrouble(): Promise<string | undefined> {
    if (await dns.findsNames()) return undefined
    return `DNS finds no name at all, not even ${dns.example}`
  }

  async function askOwnPds({ pds }: Identity, handle: string): Promise<HandleLookup> {
    if (!allowPrivateHosts || !pds) return { did: undefined, certain: true }
    return queue.run(() => askPds(pds, handle, fetch), registrableDomain(handle))
  }

  return {
    dnsTrouble,
    async resolveHandle(handle) {
      const { did, certain, why } = await lookup(handle)
      if (!certain) throw new UnansweredError(why)
      return did
    },
    async verifyHandle(did, claimed) {
      const handle = claimed.toLowerCase()
      const identity = await resolve(did).catch(() => null)
      if (identity === null) return undefined
      if (identity?.handle !== handle) return false
      const reported = await askOwnPds(identity, handle)
      if (reported.did === did) return true
      const found = await lookup(handle)
      const isKnown = found.did !== undefined || (found.certain && reported.certain)
      return isKnown ? found.did === did : undefined
    },
  }
}
