// Who is a DID, and whose is a handle: a bounded cache in front of PLC directory, did:web hosts and DNS. An identity
// is fresh for an hour and good for a day: in between it is answered at once and renewed behind the answer, and if
// the directory is away it stays. Members' outlive the process, and then count where the directory does not answer.
// Look-ups wait in small queues, and renewals on demand are counted per DID: nobody makes us hammer the directory.

import type { Logger } from '../../base/obs/log.ts'
import { createLimiter, type Limiter } from '../../base/util/limiter.ts'
import { within } from '../../base/util/waits.ts'
import type { Identity } from './did-document.ts'
import { documentUrl, fetchIdentity, IdentityUnavailableError } from './fetch-identity.ts'
import type { GuardedFetch } from './guarded-fetch.ts'
import type { PrivateHosts } from './guarded-lookup.ts'
import {
  askPds,
  createTxtResolver,
  type HandleLookup,
  lookupHandle,
  type ResolveTxt,
} from './handle-lookup.ts'
import { createIdentityMemory, type KeptIdentities } from './identity-memory.ts'
import { registrableDomain } from './registrable-domain.ts'
import { createRenewalLimit } from './renewal-limit.ts'

export type Resolver = {
  /**
   * The identity, or undefined where there is none.
   * @throws IdentityUnavailableError where nobody can say.
   */
  resolve(did: string, options?: ResolveOptions): Promise<Identity | undefined>
  /** The DID document is said to have changed: what is remembered of it is looked up again before it counts. */
  doubt(did: string): void
  /** The DID that a handle leads to; whether it claims the handle is not asked. */
  resolveHandle(handle: string): Promise<string | undefined>
  /** Whether handle and DID name each other; undefined where nobody can say. */
  verifyHandle(did: string, handle: string): Promise<boolean | undefined>
}

export type ResolveOptions = {
  forceRefresh?: boolean
  /** Where a renewal is asked for too often, memory is no answer: nobody can say now. */
  isFreshOnly?: boolean
  asker?: Asker | undefined
}

/** Why a look-up is needed: nothing is known, what is known did not do, or it is old. */
export type LookupCause = 'unknown' | 'renewal' | 'stale'

export type Asker = {
  /** Those of one name wait for each other, and for nobody else's slow hosts. */
  name?: string | undefined
  /** Called before anybody is asked anything. What it throws is the answer; for `stale`, what is known is. */
  beforeLookup?(did: string, cause: LookupCause): void
}

type ResolverOptions = {
  fetch: GuardedFetch
  plcUrl: string
  /** Milliseconds since 1970. */
  now?: () => number
  log?: Pick<Logger, 'debug'>
  /**
   * On networks without DNS also believe an account's own PDS about its handle. Never in the open:
   * a PDS could then give its accounts any name.
   */
  allowPrivateHosts?: PrivateHosts
  resolveTxt?: ResolveTxt
  /** Told where a look-up finds another signing key than the one that was remembered. */
  onKeyChanged?: (did: string) => void
  /** Whose identities a flood of strangers' must neither delay nor push out. */
  isMember?: (did: string) => boolean
  /** Where members' identities are beyond this process; nowhere without it. */
  kept?: KeptIdentities
}

/** Hosts that strangers name may be silent for their three seconds each, so there are many slots for them. */
const MAX_RUNNING = { plc: 16, web: 256, memberPlc: 8, memberWeb: 64, handle: 128 }
/** What one asker may take of them. */
const SHARE_EACH = 0.75
/** Of handles, what the names of one domain may take. */
const SHARE_OF_DOMAIN = 1 / 8
/** Look-ups at one did:web host, by different names for it. */
const MAX_PER_HOST = 4
/** What the `fetch` of a resolver needs, so that its queues don't meet again at the directory. */
export const LOOKUPS_PER_ORIGIN = MAX_RUNNING.plc + MAX_RUNNING.memberPlc
const MAX_WAITING = 2000
/** For as long a directory is waited for where what an earlier process knew could do. */
const RESTORED_WAIT_MS = 1000

/**
 * There are several queues, since anyone can make us look up a DID or a handle, and choose how slow its host is:
 * handles, did:web and did:plc wait apart, members apart from strangers, and strangers take turns by who asks for
 * them. Handles wait by their domain. Who asks may also be made to pay, before anybody else is asked anything.
 */
export function createResolver(options: ResolverOptions): Resolver {
  const { resolve, doubt } = createResolve(options)
  return { resolve, doubt, ...createHandleResolver(options, resolve) }
}

function createResolve(options: ResolverOptions): Pick<Resolver, 'resolve' | 'doubt'> {
  const { now = Date.now, isMember = () => false, kept } = options
  const memory = createIdentityMemory({ now, isMember, kept })
  const { inFlight, renew } = createRenewals({ ...options, now, isMember }, memory)
  const mayForce = createRenewalLimit(now)

  /** As the directory tells it, if it does so at once. */
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
    // What is being fetched may have been written down before the change.
    const running = inFlight.get(did)
    if (running) void running.catch(() => undefined).then(() => memory.doubt(did))
  }

  return { resolve, doubt }
}

/** Look-ups, by which memory is told what they found. */
function createRenewals(
  options: ResolverOptions & Required<Pick<ResolverOptions, 'now' | 'isMember'>>,
  memory: ReturnType<typeof createIdentityMemory>,
) {
  const { fetch, plcUrl, log, now, isMember } = options
  const queueOf = createQueues(isMember)
  const atHost = createHostLimit(plcUrl)
  const inFlight = new Map<string, Promise<Identity | undefined>>()

  /** One look-up at a time for a DID; who comes meanwhile shares its answer. */
  function renew(did: string, name: string | undefined): Promise<Identity | undefined> {
    const running = inFlight.get(did)
    if (running) return running
    const renewal = lookUp(did, name).finally(() => inFlight.delete(did))
    inFlight.set(did, renewal)
    return renewal
  }

  /** An identity that we know outlives the directory's bad hours. */
  async function lookUp(did: string, name: string | undefined): Promise<Identity | undefined> {
    const asOf = now()
    try {
      const ask = () =>
        queueOf(did).run(() => atHost(did, () => fetchIdentity(did, { fetch, plcUrl })), name)
      // A failure shuts a member out for a while: one hiccup, or a process that stood still, is not enough.
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

/** Where not, what is known will do. */
function mayRenew(asker: Asker, did: string): boolean {
  try {
    asker.beforeLookup?.(did, 'stale')
    return true
  } catch {
    return false
  }
}

/** Beyond so many, whoever else asks the same host is told to come again. */
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
  return new IdentityUnavailableError('looked up too often of late')
}

function tooMany(): IdentityUnavailableError {
  return new IdentityUnavailableError('too many look-ups at once')
}

function createQueues(isMember: (did: string) => boolean): (did: string) => Limiter {
  const members = { plc: createQueue('memberPlc'), web: createQueue('memberWeb') }
  const strangers = { plc: createQueue('plc'), web: createQueue('web') }
  return (did) => {
    const queues = isMember(did) ? members : strangers
    return did.startsWith('did:web:') ? queues.web : queues.plc
  }
}

function createQueue(kind: keyof typeof MAX_RUNNING, shareEach = SHARE_EACH): Limiter {
  return createLimiter({
    maxRunning: MAX_RUNNING[kind],
    maxRunningEach: Math.ceil(MAX_RUNNING[kind] * shareEach),
    maxWaiting: MAX_WAITING,
    full: tooMany,
  })
}

function createHandleResolver(
  { fetch, allowPrivateHosts, resolveTxt = createTxtResolver() }: ResolverOptions,
  resolve: Resolver['resolve'],
): Pick<Resolver, 'resolveHandle' | 'verifyHandle'> {
  const queue = createQueue('handle', SHARE_OF_DOMAIN)

  function lookup(handle: string) {
    const work = () => lookupHandle(handle.toLowerCase(), { fetch, resolveTxt })
    return queue.run(work, registrableDomain(handle))
  }

  async function askOwnPds({ pds }: Identity, handle: string): Promise<HandleLookup> {
    if (!allowPrivateHosts || !pds) return { did: undefined, certain: true }
    return queue.run(() => askPds(pds, handle, fetch), registrableDomain(handle))
  }

  return {
    async resolveHandle(handle) {
      const { did } = await lookup(handle)
      return did
    },
    async verifyHandle(did, claimed) {
      const handle = claimed.toLowerCase()
      const identity = await resolve(did).catch(() => null)
      if (identity === null) return undefined
      if (identity?.handle !== handle) return false
      const said = await askOwnPds(identity, handle)
      if (said.did === did) return true
      const found = await lookup(handle)
      const isKnown = found.did !== undefined || (found.certain && said.certain)
      return isKnown ? found.did === did : undefined
    },
  }
}
