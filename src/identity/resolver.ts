// Who is a DID, and whose is a handle: a bounded cache in front of PLC directory, did:web hosts and
// DNS.
//
// An identity is fresh for an hour and good for a day: in between it is answered at once and renewed
// behind the answer, and if the directory is away it stays. Look-ups wait in small queues, and
// renewals on demand are counted per DID: nobody makes us hammer the directory.
//
// There are several queues, since anyone can make us look up a DID or a handle, and choose how slow
// its host is: handles, did:web and did:plc wait apart, and members apart from strangers.

import type { Logger } from '../obs/log.ts'
import type { Identity } from './did-document.ts'
import { fetchIdentity, IdentityUnavailableError } from './fetch-identity.ts'
import type { GuardedFetch } from './guarded-fetch.ts'
import type { PrivateHosts } from './guarded-lookup.ts'
import {
  askPds,
  createTxtResolver,
  type HandleLookup,
  lookupHandle,
  type ResolveTxt,
} from './handle-lookup.ts'
import { createIdentityMemory } from './identity-memory.ts'
import { createLimiter, type Limiter } from './limiter.ts'
import { createRenewalLimit } from './renewal-limit.ts'

export type Resolver = {
  /**
   * The identity, or undefined where there is none.
   * @throws IdentityUnavailableError where nobody can say.
   */
  resolve(did: string, options?: { forceRefresh?: boolean }): Promise<Identity | undefined>
  /** The DID that a handle leads to; whether it claims the handle is not asked. */
  resolveHandle(handle: string): Promise<string | undefined>
  /** Whether handle and DID name each other; undefined where nobody can say. */
  verifyHandle(did: string, handle: string): Promise<boolean | undefined>
}

export type ResolverOptions = {
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
  /** Whose identities a flood of strangers' must neither delay nor push out. */
  isMember?: (did: string) => boolean
}

const MAX_RUNNING = { plc: 16, web: 16, memberPlc: 8, memberWeb: 8, handle: 16 }
/** What the `fetch` of a resolver needs, so that its queues don't meet again at the directory. */
export const LOOKUPS_PER_ORIGIN = MAX_RUNNING.plc + MAX_RUNNING.memberPlc
const MAX_WAITING = 2000

export function createResolver(options: ResolverOptions): Resolver {
  const resolve = createResolve(options)
  return { resolve, ...createHandleResolver(options, resolve) }
}

function createResolve(options: ResolverOptions): Resolver['resolve'] {
  const { fetch, plcUrl, log, now = Date.now, isMember = () => false } = options
  const memory = createIdentityMemory(now, isMember)
  const queueOf = createQueues(isMember)
  const mayForce = createRenewalLimit(now)
  const inFlight = new Map<string, Promise<Identity | undefined>>()

  /** One look-up at a time for a DID; who comes meanwhile shares its answer. */
  function renew(did: string): Promise<Identity | undefined> {
    const running = inFlight.get(did)
    if (running) return running
    const renewal = lookUp(did).finally(() => inFlight.delete(did))
    inFlight.set(did, renewal)
    return renewal
  }

  /** An identity that we know outlives the directory's bad hours. */
  async function lookUp(did: string): Promise<Identity | undefined> {
    try {
      const identity = await queueOf(did).run(() => fetchIdentity(did, { fetch, plcUrl }))
      if (identity) memory.remember(identity)
      else memory.rememberMissing(did)
      return identity
    } catch (error) {
      log?.debug({ did, err: error }, 'identity unavailable')
      memory.rememberError(did, error as Error)
      const found = memory.find(did)
      if (found) return found.identity
      throw error
    }
  }

  function renewBehind(did: string): void {
    renew(did).catch(() => undefined) // lookUp has logged it
  }

  return async function resolve(did, { forceRefresh = false } = {}) {
    if (forceRefresh && mayForce(did)) return renew(did)
    const found = memory.find(did)
    const failure = memory.findFailure(did)
    if (found?.isStale && !failure) renewBehind(did)
    if (found) return found.identity
    if (failure?.error) throw failure.error
    return failure ? undefined : renew(did)
  }
}

function createQueues(isMember: (did: string) => boolean): (did: string) => Limiter {
  const members = { plc: createQueue('memberPlc'), web: createQueue('memberWeb') }
  const strangers = { plc: createQueue('plc'), web: createQueue('web') }
  return (did) => {
    const queues = isMember(did) ? members : strangers
    return did.startsWith('did:web:') ? queues.web : queues.plc
  }
}

function createQueue(kind: keyof typeof MAX_RUNNING): Limiter {
  return createLimiter({
    maxRunning: MAX_RUNNING[kind],
    maxWaiting: MAX_WAITING,
    full: () => new IdentityUnavailableError('too many look-ups at once'),
  })
}

function createHandleResolver(
  { fetch, allowPrivateHosts, resolveTxt = createTxtResolver() }: ResolverOptions,
  resolve: Resolver['resolve'],
): Pick<Resolver, 'resolveHandle' | 'verifyHandle'> {
  const queue = createQueue('handle')

  function lookup(handle: string) {
    return queue.run(() => lookupHandle(handle.toLowerCase(), { fetch, resolveTxt }))
  }

  async function askOwnPds({ pds }: Identity, handle: string): Promise<HandleLookup> {
    if (!allowPrivateHosts || !pds) return { did: undefined, certain: true }
    return queue.run(() => askPds(pds, handle, fetch))
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
