// Overload protection between a call and its handler: charges the caller (rate-limits.ts) and schedules the
// call (fair-queue.ts). The health route, the fixed pages and requests without a network socket bypass it.

import type { XRPCError } from '../../base/atproto/xrpc-error.ts'
import { createRangeCheck } from '../../base/config/address-ranges.ts'
import type { Config } from '../../base/config/config.ts'
import type { Asker } from '../../sources/identity/resolver.ts'
import type { HttpRequest } from '../server/http-request.ts'
import { createAskers } from './askers.ts'
import { createClientAddress } from './client-address.ts'
import { FairQueue, type Who, type Work } from './fair-queue.ts'
import { createRateLimit, type RateBuffers } from './rate-limits.ts'

export type Overload = {
  /**
   * Charges a call to its account, or without one to its address.
   * @param member - DID of a verified member
   * @returns the caller for scheduling; undefined if it has no limits
   * @throws XRPCError 429
   */
  admit(request: HttpRequest, member: string | undefined, points: number): Who | undefined
  /** The address that is charged; undefined if it has no limits. */
  visitorOf(request: HttpRequest): string | undefined
  /**
   * Charges the address's points in the purse `from`.
   * @returns the error if not enough points are left.
   */
  chargeAddress(request: HttpRequest, points: number, from?: Purse): XRPCError | undefined
  /**
   * Charges the address for a failure before the caller was known, such as a bad token.
   * @returns the error to send instead if it has failed too often.
   */
  chargeFailure(request: HttpRequest): XRPCError | undefined
  /**
   * Returns the payer for look-ups of this request's issuer, charged before any request is sent.
   */
  askerFor(request: HttpRequest): Asker
  run<T>(who: Who | undefined, work: Work<T>): T | Promise<T>
}

type OverloadConfig = Pick<
  Config,
  'memberRateLimit' | 'visitorRateLimit' | 'unlimitedAddresses' | 'trustedProxies'
>

/** Each address has separate points per purse. */
export type Purse = 'visitor' | keyof typeof PURSES

const FAILURE_POINTS = 1
/**
 * An address may do this many times fewer look-ups than it has points; look-ups have a separate
 * purse.
 */
const POINTS_A_LOOKUP = 5

/**
 * Points per address in five minutes, beside those for XRPC. An open status page takes under a
 * hundred, a scrape every second 300, a screen of pictures a few dozen.
 */
const PURSES = { pages: 3_000, metrics: 600, operator: 3_000, media: 12_000 } as const

export function createOverload(options: {
  config: OverloadConfig
  /** Shared by all serving threads. */
  buffers: RateBuffers
  /** Look-ups of members are free, once a day each. */
  isMember?: ((did: string) => boolean) | undefined
  now?: () => number
}): Overload {
  const { config, buffers, isMember = () => false, now } = options
  const members = createRateLimit({ buffer: buffers.members, limit: config.memberRateLimit, now })
  const visitors = createRateLimit({
    buffer: buffers.visitors,
    limit: config.visitorRateLimit,
    now,
  })
  const purse = (most: number) => {
    const limit = config.visitorRateLimit === 0 ? 0 : most
    return createRateLimit({ buffer: buffers.visitors, limit, now })
  }
  const lookups = purse(Math.ceil(config.visitorRateLimit / POINTS_A_LOOKUP))
  const purses = {
    pages: purse(PURSES.pages),
    metrics: purse(PURSES.metrics),
    operator: purse(PURSES.operator),
    media: purse(PURSES.media),
  }
  const addressOf = createClientAddress(config.trustedProxies)
  const isUnlimited = createRangeCheck(config.unlimitedAddresses)
  const queue = new FairQueue()

  /** The address of origin, if it has limits. */
  function visitorOf(request: HttpRequest): string | undefined {
    const address = addressOf(request)
    if (address === undefined) return undefined
    return config.unlimitedAddresses.length > 0 && isUnlimited(networkOf(address))
      ? undefined
      : address
  }

  function chargeAddress(
    request: HttpRequest,
    points: number,
    from: Purse = 'visitor',
  ): XRPCError | undefined {
    const key = visitorOf(request)
    if (key === undefined) return undefined
    if (from === 'visitor') return visitors.charge(request, key, points)
    return purses[from].charge(request, `${from} ${key}`, points)
  }

  return {
    askerFor: createAskers({ members, visitors, lookups, visitorOf, isMember }),
    admit(request, member, points) {
      const key = member ?? visitorOf(request)
      if (key === undefined) return undefined
      const refused = (member === undefined ? visitors : members).charge(request, key, points)
      if (refused) throw refused
      return { rank: member === undefined ? 'visitor' : 'member', key }
    },
    chargeAddress,
    visitorOf,
    chargeFailure: (request) =>
      request.limitHeaders ? undefined : chargeAddress(request, FAILURE_POINTS),
    run: (who, work) => (who ? queue.run(who, work) : work.run()),
  }
}

/** Returns the network's address, as IPv6 counts by network. */
function networkOf(key: string): string {
  return key.replace(/\/64$/, '')
}
