// What cold starts may take in an hour, for each member and for all who came from one address, so that a flood
// of made accounts takes a part of the machine and never all: authors fetched at once, and bytes of their records.
// Some authors of each member are fetched in any case. In memory alone: a restart begins a new hour.

import { createCountBuffer } from '../../data/shared-memory/count-table.ts'
import { createSharedBudget, type SharedBudget } from '../../data/shared-memory/shared-budget.ts'
import { AUTHORS_AT_ONCE, type ColdStartBudget } from '../indexing/cold-start-budget.ts'

const KB = 1_000

export const NEWCOMER_LIMITS = {
  /** Fetched at once, of one member's follows. */
  authorsOfMember: AUTHORS_AT_ONCE,
  /** Of these whatever others took: nobody's first page is empty because of others. */
  authorsInAnyCase: 200,
  authorsInAll: 60_000,
  /** A hundred posts are some 70 kB, and 300 where each has pictures that are described at length. */
  kbOfAuthor: 1_000,
  /** Two thousand authors of a hundred ordinary posts are some 150 MB. */
  kbOfMember: 300_000,
  kbInAll: 4_000_000,
}
/** What a page or two of ordinary posts take is let through in any case. */
const LEAST_BYTES = 50 * KB
/** Stands for the member where an author comes slowly: all such authors share what one member may bring. */
const SLOW_LANE = 0
const NO_COMMON_LIMIT = 2_000_000_000
const MAX_REMEMBERED = 300_000

export type NewcomerBudget = ColdStartBudget & {
  /** Said before the account becomes a member. */
  cameFrom(member: number, origin: string): void
}

function perHour(each: number, all = NO_COMMON_LIMIT): SharedBudget {
  return createSharedBudget({ buffer: createCountBuffer(), windowSeconds: 3_600, each, all })
}

export function createNewcomerBudget(now: () => number, limits = NEWCOMER_LIMITS): NewcomerBudget {
  const { authorsOfMember, authorsInAnyCase, authorsInAll, kbInAll } = limits
  const authors = {
    ofMember: perHour(authorsOfMember),
    ofOrigin: perHour(authorsInAll, authorsInAll),
  }
  const kilobytes = {
    ofAuthor: perHour(limits.kbOfAuthor),
    ofMember: perHour(limits.kbOfMember),
    ofOrigin: perHour(kbInAll, kbInAll),
  }
  const origins = new Map<number, string>()
  const broughtBy = new Map<number, number>()

  /** Where nobody knows whence they came, as of who was here at start, each is one. */
  const originOf = (member: number) => origins.get(member) ?? `member ${member}`

  return {
    cameFrom: (member, origin) => remember(origins, member, origin),
    takesNow(member, author) {
      const own = authors.ofMember.left(String(member), now())
      const isSure = own > authorsOfMember - authorsInAnyCase
      const origin = originOf(member)
      if (own === 0 || (!isSure && authors.ofOrigin.left(origin, now()) === 0)) return false
      authors.ofMember.spend(String(member), 1, now())
      authors.ofOrigin.spend(origin, 1, now())
      remember(broughtBy, author, member)
      return true
    },
    takeSlowly(author) {
      if (!broughtBy.has(author)) remember(broughtBy, author, SLOW_LANE)
    },
    bytesLeft(uid) {
      const member = broughtBy.get(uid)
      if (member === undefined) return limits.kbOfMember * KB
      const ofAuthor = kilobytes.ofAuthor.left(String(uid), now()) * KB
      const ofMember = kilobytes.ofMember.left(String(member), now()) * KB
      const ofOrigin = kilobytes.ofOrigin.left(originOf(member), now()) * KB
      return Math.min(ofAuthor, Math.max(Math.min(ofMember, ofOrigin), LEAST_BYTES))
    },
    spendBytes(uid, bytes) {
      const member = broughtBy.get(uid)
      if (member === undefined) return
      const spent = Math.ceil(bytes / KB)
      kilobytes.ofAuthor.spend(String(uid), spent, now())
      kilobytes.ofMember.spend(String(member), spent, now())
      kilobytes.ofOrigin.spend(originOf(member), spent, now())
    },
  }
}

function remember<V>(map: Map<number, V>, key: number, value: V): void {
  if (map.size >= MAX_REMEMBERED && !map.has(key)) map.clear()
  map.set(key, value)
}
