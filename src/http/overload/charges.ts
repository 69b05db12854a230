// Who pays for a call, in points: a member, a program's token or an address, which has further purses beside
// that for XRPC. A point is a price for time on the thread: a call is charged when it arrives, and afterwards
// for the time that it took beyond that.

import type { XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { Config } from '../../base/config/config.ts'
import { createRangeCheck } from '../../base/util/range-check.ts'
import { type AddressTime, createAddressTime, REQUEST_MS } from './address-time.ts'
import type { ChargedRequest } from './charged-request.ts'
import { createClientAddress, webDomainOf } from './client-address.ts'
import { createRateLimit, type RateBuffers, type RateLimit, UNLIMITED } from './rate-limits.ts'

export type ChargesConfig = Pick<
  Config,
  'memberRateLimit' | 'visitorRateLimit' | 'unlimitedAddresses' | 'trustedProxies'
>

/** A token of the operator's. `rate`: points in five minutes; 0: without limit. */
export type Program = { name: string; rate: number }

/** Each address has separate points per purse. */
export type Purse = 'visitor' | keyof typeof PURSES

/** Where what an account of a did:web domain takes too much is counted as well. */
type Domain = { limit: RateLimit; key: string }

/**
 * An account of points that a call is charged to; without a limit for nobody. A class, since one is
 * made per request.
 */
export class Payer {
  /** Milliseconds of the thread's processor time that a point pays for. */
  readonly msAPoint: number
  readonly #limit: RateLimit
  readonly #request: ChargedRequest
  readonly #key: string
  readonly #domain: Domain | undefined
  /** Of the address that pays, if one does. */
  readonly #address: AddressAndTime | undefined

  constructor(
    limit: RateLimit,
    request: ChargedRequest,
    {
      key,
      msAPoint = MS_A_POINT,
      domain,
      address,
    }: { key: string; msAPoint?: number; domain?: Domain; address?: AddressAndTime },
  ) {
    this.msAPoint = msAPoint
    this.#limit = limit
    this.#request = request
    this.#key = key
    this.#domain = domain
    this.#address = address
  }

  /** Returns the error if not enough points are left. */
  charge(points: number): XRPCError | undefined {
    const refused = this.#limit.charge(this.#request, this.#key, points)
    return refused ?? this.#domain?.limit.ifSpent(this.#request, this.#domain.key)
  }

  /** Takes points for what a call took; the next one is refused if none are left. */
  chargeAfterwards(points: number): void {
    this.#limit.chargeAfterwards(this.#request, this.#key, points)
    this.#domain?.limit.countAfterwards(this.#domain.key, points)
  }

  /** Counts the time that a call took, whatever it has paid. */
  use(ms: number): void {
    this.#address?.time.add(this.#address.key, ms)
  }

  /** A token from the address was not valid. */
  doubt(authorization: string): void {
    this.#address?.time.doubt(this.#address.key, authorization)
  }

  isSpent(): boolean {
    return this.#limit.isSpent(this.#key)
  }
}

type AddressAndTime = { time: AddressTime; key: string }

/**
 * An address may do this many times fewer look-ups than it has points; look-ups have a separate
 * purse.
 */
const POINTS_A_LOOKUP = 5

/**
 * Points per address in five minutes, besides those for XRPC. An open status page takes under a
 * hundred, a scrape every second 300, a screen of pictures a few dozen.
 */
const PURSES = { pages: 3_000, metrics: 600, operator: 3_000, files: 12_000 } as const

/**
 * What a point pays for: a usual page. So a visitor's 3,000 points are 1.2 seconds of the thread in
 * five minutes; with the other purses that need no token it is less than two.
 */
const MS_A_POINT = 0.4
const PURSE_MS_A_POINT = { pages: 0.1, metrics: 5, operator: 0.1, files: 0.04 } as const
/** Names under one registered domain cost nothing: together they may exceed this many members' points. */
const MEMBERS_A_DOMAIN = 8

export function createCharges(options: {
  config: ChargesConfig
  /** Shared by all serving threads. */
  buffers: RateBuffers
  now?: (() => number) | undefined
}) {
  const { config, buffers, now } = options
  const { memberRateLimit, visitorRateLimit } = config
  const limited = (buffer: SharedArrayBuffer, limit: number) =>
    createRateLimit({ buffer, limit, now })
  const purse = (most: number) => limited(buffers.visitors, visitorRateLimit === 0 ? 0 : most)
  const members = limited(buffers.members, memberRateLimit)
  const domains = limited(buffers.members, memberRateLimit * MEMBERS_A_DOMAIN)
  const visitors = limited(buffers.visitors, visitorRateLimit)
  const lookups = purse(Math.ceil(visitorRateLimit / POINTS_A_LOOKUP))
  const purses = {
    pages: purse(PURSES.pages),
    metrics: purse(PURSES.metrics),
    operator: purse(PURSES.operator),
    files: purse(PURSES.files),
  }
  const time = createAddressTime(visitorRateLimit, (most) =>
    limited(buffers.addresses, visitorRateLimit === 0 ? 0 : most),
  )
  const programs = new Map<number, RateLimit>()
  const addressOf = createClientAddress(config.trustedProxies)
  const isUnlimited = createRangeCheck(config.unlimitedAddresses)

  /** The address of origin, if it has limits. */
  function visitorOf(request: Pick<ChargedRequest, 'remoteAddress' | 'header'>) {
    const address = addressOf(request)
    if (address === undefined) return undefined
    return config.unlimitedAddresses.length > 0 && isUnlimited(networkOf(address))
      ? undefined
      : address
  }

  function member(request: ChargedRequest, did: string): Payer {
    const domain = webDomainOf(did)
    if (domain === undefined) return new Payer(members, request, { key: did })
    return new Payer(members, request, {
      key: did,
      domain: { limit: domains, key: `web ${domain}` },
    })
  }

  function program(request: ChargedRequest, { name, rate }: Program): Payer {
    const limit = programs.get(rate) ?? limited(buffers.members, rate)
    programs.set(rate, limit)
    return new Payer(limit, request, { key: name })
  }

  function address(request: ChargedRequest, from: Purse = 'visitor'): Payer {
    const key = visitorOf(request)
    if (key === undefined) return new Payer(UNLIMITED, request, { key: '' })
    const address = { time, key }
    if (from === 'visitor') return new Payer(visitors, request, { key, address })
    const msAPoint = PURSE_MS_A_POINT[from]
    return new Payer(purses[from], request, { key: `${from} ${key}`, msAPoint, address })
  }

  /** Of one whose caller is known, only the time, if that is a visitor. */
  function failure(request: ChargedRequest, points: number): XRPCError | undefined {
    const authorization = request.header('authorization')
    const isKnown = request.limitHeaders !== undefined
    if (isKnown && authorization !== undefined) return undefined
    const payer = address(request)
    payer.use(REQUEST_MS)
    if (isKnown || points === 0) return undefined
    if (authorization !== undefined) payer.doubt(authorization)
    return payer.charge(points)
  }

  return {
    member,
    program,
    address,
    failure,
    addressOf,
    visitorOf,
    members,
    visitors,
    lookups,
    time,
  }
}

/** Returns the network's address, as IPv6 counts by network. */
function networkOf(key: string): string {
  return key.replace(/\/64$/, '')
}
