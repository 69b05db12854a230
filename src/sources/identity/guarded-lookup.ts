// Where a connection to a stranger's server may go: a name is resolved once, by us, during the connect, and
// all its addresses must be public. Where the operator allows private hosts or trusts the origin, it goes
// wherever the system resolves it; where some ranges are allowed, to public addresses and those. Used by
// guarded-fetch.ts and all other code that opens sockets to addresses chosen by strangers.

import { lookup as lookupBySystem, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { createRangeCheck } from '../../base/util/range-check.ts'
import { FetchError } from './fetch-error.ts'
import { isPublicAddress } from './public-address.ts'

/** All addresses of a name. */
export type LookupAddresses = (hostname: string) => Promise<string[]>

/** All of them, none, or those in these ranges (CIDR form). */
export type PrivateHosts = boolean | readonly string[]

type GuardedLookupOptions = {
  allowPrivateHosts: PrivateHosts
  /** Origins named by the operator, which may be private and plain http. */
  trustedOrigins?: string[]
  /** Replaces DNS in tests; its results are checked all the same. */
  lookup?: LookupAddresses
}

/**
 * @returns the lookup function for the host of `url`: always one of the same two functions.
 * @throws FetchError if connections there are forbidden.
 */
export function createGuardedLookup(options: GuardedLookupOptions): (url: URL) => LookupFunction {
  const trusted = new Set((options.trustedOrigins ?? []).map((origin) => new URL(origin).origin))
  const strict = toLookupFunction(checked(options.lookup ?? createPublicLookup(), isPublicAddress))
  const lax = toLookupFunction(options.lookup ?? lookupLikeTheSystem)
  const { allowPrivateHosts } = options
  const named = typeof allowPrivateHosts === 'boolean' ? [] : allowPrivateHosts
  const lookupFor = named.length > 0 ? among(named, options.lookup) : strictly(strict)
  return (url) => (allowPrivateHosts === true || trusted.has(url.origin) ? lax : lookupFor(url))
}

function strictly(strict: LookupFunction): (url: URL) => LookupFunction {
  return (url) => {
    refuseStrangeUrl(url)
    return strict
  }
}

/** Plain http and bare addresses may only go to the named ranges, https also to public ones. */
function among(
  ranges: readonly string[],
  lookup: LookupAddresses = lookupLikeTheSystem,
): (url: URL) => LookupFunction {
  const isNamed = createRangeCheck(ranges)
  const toNamed = toLookupFunction(checked(lookup, isNamed))
  const toBoth = toLookupFunction(
    checked(lookup, (value) => isNamed(value) || isPublicAddress(value)),
  )
  return (url) => {
    const bare = bareHost(url)
    if (isIP(bare) ? isNamed(bare) : url.protocol === 'http:' || url.protocol === 'ws:') {
      return toNamed
    }
    refuseStrangeUrl(url)
    return toBoth
  }
}

/** Refuses strangers' URLs that are unacceptable in themselves. */
function refuseStrangeUrl(url: URL): void {
  if (url.protocol !== 'https:' && url.protocol !== 'wss:') {
    throw new FetchError('protocol', `neither https nor wss: ${url.protocol}//${url.host}`)
  }
  if (isIP(bareHost(url)))
    throw new FetchError('ip-literal', `an address instead of a name: ${url.host}`)
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

/** One forbidden address spoils the whole name: it has no business being there. */
function checked(
  lookup: LookupAddresses,
  isAllowed: (address: string) => boolean,
): LookupAddresses {
  return async (hostname) => {
    const addresses = await lookup(hostname)
    const bad = addresses.find((address) => !isAllowed(address))
    if (bad) throw new FetchError('private-address', `${hostname} stands on ${bad}`)
    return addresses
  }
}

/**
 * A name's addresses; none if it does not resolve. DNS only, not getaddrinfo: a name server that
 * never answers would block one of the four threads of Node's pool, and strangers choose the name
 * server.
 */
export function createPublicLookup(): LookupAddresses {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  return async (hostname) => {
    const found = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ])
    const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    const failed = found.find((result) => result.status === 'rejected' && !isDenial(result.reason))
    if (addresses.length === 0 && failed?.status === 'rejected') throw failed.reason
    return addresses
  }
}

/** With /etc/hosts and whatever else a private network relies on. */
async function lookupLikeTheSystem(hostname: string): Promise<string[]> {
  const found = await lookupBySystem(hostname, { all: true })
  return found.map(({ address }) => address)
}

function toLookupFunction(lookup: LookupAddresses): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const all = addresses.map((address) => ({ address, family: isIP(address) }))
        const [first] = all
        if (!first) callback(new FetchError('dns', `no address for ${hostname}`), '', 0)
        else if (options.all) callback(null, all)
        else callback(null, first.address, first.family)
      },
      (cause) => callback(asLookupError(cause, hostname), '', 0),
    )
  }
}

function asLookupError(cause: unknown, hostname: string): FetchError {
  if (cause instanceof FetchError) return cause
  const reason = isDenial(cause) ? 'dns' : 'dns-silent'
  return new FetchError(reason, `can't resolve ${hostname}`, { cause })
}

const DENIALS = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN'])

/** Whether the name servers said that there is no such record, rather than failing. */
export function isDenial(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DENIALS.has(String(error.code))
}
