// Who is a DID, and whose is a handle: a bounded cache in front of PLC directory, did:web hosts and
// DNS.
//
// An identity is fresh for an hour and good for a day: in between it is answered at once and renewed
// behind the answer, and if the directory is away it stays. All look-ups share one small queue, and
// renewals on demand are counted per DID: nobody makes us hammer the directory.

import type { Logger } from '../obs/log.ts'
import type { Identity } from './did-document.ts'
import { fetchIdentity, IdentityUnavailableError } from './fetch-identity.ts'
import type { GuardedFetch } from './guarded-fetch.ts'
import { askPds, createTxtResolver, lookupHandle, type ResolveTxt } from './handle-lookup.ts'
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
  allowPrivateHosts?: boolean
  resolveTxt?: ResolveTxt
}

const MAX_RUNNING = 32
const MAX_WAITING = 2000

export function createResolver(options: ResolverOptions): Resolver {
  const limiter = createLimiter({
    maxRunning: MAX_RUNNING,
    maxWaiting: MAX_WAITING,
    full: () => new IdentityUnavailableError('too many look-ups at once'),
  })
  const resolve = createResolve(options, limiter)
  return { resolve, ...createHandleResolver(options, limiter, resolve) }
}

function createResolve(options: ResolverOptions, limiter: Limiter): Resolver['resolve'] {
  const { fetch, plcUrl, log, now = Date.now } = options
  const memory = createIdentityMemory(now)
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
      const identity = await limiter.run(() => fetchIdentity(did, { fetch, plcUrl }))
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

function createHandleResolver(
  { fetch, allowPrivateHosts, resolveTxt = createTxtResolver() }: ResolverOptions,
  limiter: Limiter,
  resolve: Resolver['resolve'],
): Pick<Resolver, 'resolveHandle' | 'verifyHandle'> {
  function lookup(handle: string) {
    return limiter.run(() => lookupHandle(handle.toLowerCase(), { fetch, resolveTxt }))
  }

  async function isConfirmedByPds({ did, pds }: Identity, handle: string): Promise<boolean> {
    if (!allowPrivateHosts || !pds) return false
    return (await limiter.run(() => askPds(pds, handle, fetch))) === did
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
      if (await isConfirmedByPds(identity, handle)) return true
      const found = await lookup(handle)
      return found.did === undefined && !found.certain ? undefined : found.did === did
    },
  }
}
