// What stands between a call and its handler where there may be too much of it: who pays for it
// (rate-limits.ts), and whose turn it is (fair-queue.ts). The health route and the fixed pages pass it
// by, and so does whatever came by no network socket.

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
   * Charges a call to the account that made it, or where there is none to its address.
   * @param member - DID of a verified member.
   * @returns whose turn it will be; undefined for whom nothing is limited.
   * @throws XRPCError 429
   */
  admit(request: HttpRequest, member: string | undefined, points: number): Who | undefined
  /** The address that is charged; undefined for whom nothing is limited. */
  visitorOf(request: HttpRequest): string | undefined
  /** Charges the address, `from` what it has for that. @returns the refusal where not enough is left. */
  chargeAddress(request: HttpRequest, points: number, from?: Purse): XRPCError | undefined
  /**
   * Charges the address with what failed before it was known who asks, such as a bad token.
   * @returns the answer to give instead where that came too often.
   */
  chargeFailure(request: HttpRequest): XRPCError | undefined
  /** On whose account an issuer is looked up for this request; pays before anybody is asked. */
  askerFor(request: HttpRequest): Asker
  run<T>(who: Who | undefined, work: Work<T>): T | Promise<T>
}

type OverloadConfig = Pick<
  Config,
  'memberRateLimit' | 'visitorRateLimit' | 'unlimitedAddresses' | 'trustedProxies'
>

/** An address has points of each kind, and those of one kind buy nothing of another. */
export type Purse = 'visitor' | keyof typeof PURSES

const FAILURE_POINTS = 1
/** Of its points an address could buy so many fewer look-ups, which have a purse of their own. */
const POINTS_A_LOOKUP = 5

/**
 * Points an address has in five minutes beside those for XRPC. A status page that is open takes under a
 * hundred, a scrape every second 300; a screen of pictures a few dozen.
 */
const PURSES = { pages: 3_000, metrics: 600, operator: 3_000, media: 12_000 } as const

export function createOverload(options: {
  config: OverloadConfig
  /** Shared by all serving threads. */
  buffers: RateBuffers
  /** Members are looked up at nobody's cost, once a day each. */
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

  /** Where it came from, if that counts. */
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

/** An address of the network, where IPv6 counts by network. */
function networkOf(key: string): string {
  return key.replace(/\/64$/, '')
}
