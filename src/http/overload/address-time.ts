// How much of the serving threads' time an address may use up in five minutes for whatever is not a member's or
// program's: answers and refusals of all routes, also those that cost no points. Once it is used up, requests without
// a token are refused before anything is done for them (server/listening/entrance.ts), and those with one go on, since
// members may share the address: until too many were forged, then only of those who had a valid one there before.

import { LruMap } from '../../base/util/lru.ts'
import { bearerToken } from '../../base/util/secrets.ts'
import type { RateLimit } from './rate-limits.ts'

export type AddressTime = {
  /** Counts `ms` of a thread's time. */
  add(address: string, ms: number): void
  isUsedUp(address: string): boolean
  /** Until it has time again. */
  secondsLeft(address: string): number
  /** Whether a request with this header may be looked at, although the address's time is used up. */
  mayShow(address: string, authorization: string): boolean
  /** Takes one of the few answers that are still given: to a monitor, and to browsers' questions. */
  takeSmall(address: string, kind: SmallAnswer): boolean
  /** A token of this account or program was valid. */
  prove(address: string, name: string): void
  /** A token was not. */
  doubt(address: string, authorization: string): void
}

export type SmallAnswer = 'health' | 'preflight'

/**
 * What a request costs beyond the turns that are measured: reading it, and writing an answer. A
 * refusal costs as much again, because it is an error first.
 */
export const REQUEST_MS = 0.15
export const CONNECTION_MS = 0.08
/** A connection to whatever server the DID names, and reading its document: no turn of the call. */
export const LOOKUP_MS = 2

/** So that what an address buys is below 2 s with what was under way when its time was up. */
const MS_A_VISITORS_POINT = 0.4
const LEAST_MS = 1_200
const UNITS_A_MS = 1_000
/** After this much more, tokens are only looked at if their names are known here. */
const FORGED_MS = 150
const FORGED_EACH = 25
/** A network of IPv6 has 65,536 addresses as we count them. */
const ADDRESSES_A_NETWORK = 16
const GROUPS_OF_48 = 3
const SMALL_ANSWERS = { health: 150, preflight: 300 } as const
const MAX_PROVEN = 16_384
const LONGEST_TOKEN = 4_096

/** @param limited - a limit of `most` for each name; all count in one table */
export function createAddressTime(
  visitorRateLimit: number,
  limited: (most: number) => RateLimit,
): AddressTime {
  const mostMs = Math.max(LEAST_MS, visitorRateLimit * MS_A_VISITORS_POINT)
  const of = (ms: number) => limited(ms * UNITS_A_MS)
  const [own, tokens, network] = [mostMs, mostMs + FORGED_MS, mostMs * ADDRESSES_A_NETWORK].map(of)
  const forged = limited(FORGED_EACH)
  const small = {
    health: limited(SMALL_ANSWERS.health),
    preflight: limited(SMALL_ANSWERS.preflight),
  }
  const proven = new LruMap<string, true>(MAX_PROVEN)

  function isOver(limit: RateLimit, address: string): boolean {
    if (limit.isSpent(address)) return true
    const of48 = networkOf(address)
    return of48 !== undefined && network!.isSpent(of48)
  }

  return {
    add(address, ms) {
      const units = Math.ceil(ms * UNITS_A_MS)
      own!.countAfterwards(address, units)
      const of48 = networkOf(address)
      if (of48 !== undefined) network!.countAfterwards(of48, units)
    },
    isUsedUp: (address) => isOver(own!, address),
    secondsLeft: (address) => own!.secondsLeft(address),
    mayShow(address, authorization) {
      if (!isOver(tokens!, address)) return true
      const name = nameIn(authorization)
      if (name === undefined || !proven.get(`${address} ${name}`)) return false
      return !forged.isSpent(`forged ${address} ${name}`)
    },
    takeSmall(address, kind) {
      const key = `${kind} ${address}`
      if (small[kind].isSpent(key)) return false
      small[kind].countAfterwards(key, 1)
      return true
    },
    prove(address, name) {
      const key = `${address} ${name}`
      if (!proven.get(key)) proven.set(key, true)
    },
    doubt(address, authorization) {
      if (!isOver(own!, address)) return
      const name = nameIn(authorization)
      if (name !== undefined) forged.countAfterwards(`forged ${address} ${name}`, 1)
    },
  }
}

/** The /48 of an IPv6 address's /64. */
function networkOf(address: string): string | undefined {
  if (!address.endsWith('::/64')) return undefined
  return `${address.split(':', GROUPS_OF_48).join(':')}::/48`
}

/** Whom a token says it is of: a JWT's issuer, or the token itself. Nothing is verified. */
function nameIn(authorization: string): string | undefined {
  const token = bearerToken(authorization)
  if (token === undefined || token.length > LONGEST_TOKEN) return undefined
  const [, claims, signature] = token.split('.', 3)
  if (claims === undefined || signature === undefined) return token
  try {
    const { iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss?: unknown }
    return typeof iss === 'string' ? iss.split('#', 1)[0] : undefined
  } catch {
    return undefined
  }
}
