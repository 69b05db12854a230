// Who may fetch how much at once from accounts' servers. Half of the slots are only for accounts that members
// follow, and for members; others' fetches are also limited by the address that asks, and by the domain of the
// server, since its owner can have any number of hosts and accounts there.

import { LruMap } from '../../../base/util/lru.ts'
import { registrableDomain } from '../../../sources/identity/registrable-domain.ts'
import { MediaError } from '../media-error.ts'
import { type Claim, createFairSlots, type Ticket } from './fair-slots.ts'

export type SlotLimits = { inAll: number; perHost: number; waiting: number }

/** For whom it is fetched, and whose it is. */
export type BlobAsker = {
  did: string
  /** The account is a member, or a member follows it. */
  isFollowed: boolean
  /** Address of the client; undefined for ourselves and for clients without limits. */
  asker: string | undefined
}

type BlobSlots = {
  take(url: string, who: BlobAsker): Ticket
  /** The claim of another asker for the same blob. */
  claimOf(url: string, who: BlobAsker): Claim
  /** A blob of a followed account came from there. */
  served(url: string, did: string): void
}

/** A domain that serves so many followed accounts counts by its hosts. */
const MANY_ACCOUNTS = 8
const MAX_DOMAINS = 2000

export const tooMany = () => new MediaError('busy', 'Busy', 'too many pictures and videos at once')

export function createBlobSlots({ inAll, perHost, waiting }: SlotLimits): BlobSlots {
  const slots = createFairSlots({ waiting: Math.ceil(waiting / 2), full: tooMany })
  const servedBy = new LruMap<string, Set<string>>(MAX_DOMAINS)
  const isShared = (domain: string) => (servedBy.get(domain)?.size ?? 0) >= MANY_ACCOUNTS

  function claimOf(url: string, who: BlobAsker): Claim {
    const { host, hostname } = new URL(url)
    const domain = registrableDomain(hostname)
    const claim = askerClaim(inAll, who)
    const strangers: Claim['limits'] = isGuest(who)
      ? [[`strangers of ${domain}`, part(inAll, isShared(domain) ? 1 / 2 : 1 / 8)]]
      : []
    const limits: Claim['limits'] = [
      [`host ${host}`, perHost],
      [`domain ${domain}`, part(inAll, 3 / 4)],
    ]
    return { ...claim, limits: [...claim.limits, ...limits, ...strangers] }
  }

  return {
    claimOf,
    take: (url, who) => slots.take(claimOf(url, who)),
    served(url, did) {
      const domain = registrableDomain(new URL(url).hostname)
      const accounts = servedBy.get(domain) ?? new Set()
      if (accounts.size < MANY_ACCOUNTS) accounts.add(did)
      servedBy.set(domain, accounts)
    },
  }
}

/** Wherever it is fetched from. */
export function askerClaim(inAll: number, who: BlobAsker): Claim {
  const { did, asker } = who
  const isStranger = isGuest(who)
  const group = isStranger ? 'strangers' : 'followed'
  const limits: [string, number][] = [
    ['all', inAll],
    [`account ${did}`, part(inAll, isStranger ? 1 / 8 : 1 / 4)],
  ]
  if (isStranger) limits.push(['strangers', part(inAll, 1 / 2)])
  if (isStranger) limits.push([`strangers for ${asker}`, part(inAll, 1 / 4)])
  if (asker !== undefined) limits.push([`for ${asker}`, part(inAll, 1 / 2)])
  return { lane: asker ?? '', group, limits }
}

/** Whether somebody else wants a stranger's. */
export function isGuest({ isFollowed, asker }: BlobAsker): boolean {
  return !isFollowed && asker !== undefined
}

function part(inAll: number, share: number): number {
  return Math.max(1, Math.floor(inAll * share))
}
