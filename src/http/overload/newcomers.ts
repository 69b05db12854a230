// Limits new members per hour: in all, per address and per did:web domain. A flood takes a share of what is
// left of the hour, never all of it, so accounts from elsewhere still get in. Accounts are free and a DID
// document may name any PDS, so neither counts people, but an address costs something. If clients connect
// through a PDS, it is the PDS's, shared by many people: hence a share of what is left instead of a small
// fixed number.

import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { Config } from '../../base/config/config.ts'
import { createRangeCheck } from '../../base/util/range-check.ts'
import { type Count, CountTable } from '../../data/shared-memory/count-table.ts'
import type { ChargedRequest } from './charged-request.ts'
import { createClientAddress, webDomainOf } from './client-address.ts'

export type Newcomers = {
  /**
   * Counts an account once, however often it calls.
   * @throws XRPCError 429 if the hour has no room for it.
   */
  admit(did: string, request: NewcomerRequest): void
  /** The address as counted here; undefined if it has no limit. */
  originOf(request: NewcomerRequest): string | undefined
}

export type NewcomerRequest = Pick<ChargedRequest, 'remoteAddress' | 'header'>

type NewcomersConfig = Pick<Config, 'newMembersPerHour' | 'trustedProxies' | 'unlimitedAddresses'>

const WINDOW_SECONDS = 3_600
/**
 * Of what is left of the hour: one address alone gets a fifth of all, one domain about a fortieth.
 */
const ADDRESS_PART = 1 / 4
const DOMAIN_PART = 1 / 40
const ALL = 'all'
/** A customer's IPv6 block is at least a /64, and often a /48, which has 65,536 of those. */
const GROUPS_OF_48 = 3

export function createNewcomers(options: {
  config: NewcomersConfig
  /** Shared by all serving threads. */
  buffer: SharedArrayBuffer
  now?: () => number
}): Newcomers {
  const { config, buffer, now = Date.now } = options
  const limit = config.newMembersPerHour
  const windowSeconds = WINDOW_SECONDS
  const counts = new CountTable(buffer, { windowSeconds })
  const addressOf = createClientAddress(config.trustedProxies)
  const isUnlimited = createRangeCheck(config.unlimitedAddresses)

  function originOf(request: NewcomerRequest): string | undefined {
    const address = addressOf(request)
    const isFree = address === undefined || isUnlimited(address.replace(/\/64$/, ''))
    return isFree ? undefined : networkOf(address)
  }

  function partsOf(did: string, request: NewcomerRequest): Part[] {
    const origin = originOf(request)
    const domain = webDomainOf(did)
    return [
      ...(origin === undefined
        ? []
        : [{ key: `address ${origin}`, share: ADDRESS_PART, who: 'server' }]),
      ...(domain === undefined
        ? []
        : [{ key: `web ${domain}`, share: DOMAIN_PART, who: 'domain' }]),
    ]
  }

  return {
    originOf,
    admit(did, request) {
      if (limit === 0) return
      const nowMs = now()
      const account = `account ${did}`
      if (counts.read(account, nowMs).spent > 0) return
      const parts = partsOf(did, request)
      if (parts.length === 0) return
      const all = counts.read(ALL, nowMs)
      const left = Math.max(limit - all.spent, 0)
      for (const { key, share, who } of parts) {
        const count = counts.read(key, nowMs)
        if (count.spent >= Math.ceil(left * share))
          throw refusal(count.spent > 0 ? count : all, who, nowMs)
      }
      for (const key of [account, ALL, ...parts.map((part) => part.key)]) counts.add(key, 1, nowMs)
    },
  }
}

type Part = { key: string; share: number; who: string }

function networkOf(key: string): string {
  return key.endsWith('::/64') ? `${key.split(':').slice(0, GROUPS_OF_48).join(':')}::/48` : key
}

function refusal({ endsAt }: Count, who: string, nowMs: number): XRPCError {
  const seconds = Math.max(Math.ceil(endsAt - nowMs / 1000), 1)
  const minutes = Math.ceil(seconds / 60)
  const when = minutes === 1 ? 'in a minute' : `in ${minutes} minutes`
  return new XRPCError(
    429,
    'RateLimitExceeded',
    `Too many new accounts have come here from your ${who} within the hour. Try again ${when}, or ask the operator to add you.`,
    { headers: { 'retry-after': String(seconds) } },
  )
}
