// Limits what members may cause to be fetched in an hour, for each member and for all from one address, so
// that a flood of fake accounts never takes the whole machine: authors fetched at once, and bytes of records.
// Each member gets some authors in any case. Rows hold each author's bytes and member; members' sums are
// rebuilt from them at start. Addresses are only in memory: after a start each known member counts as one.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import { createCountBuffer } from '../../../data/shared-memory/count-table.ts'
import { createSharedBudget, type SharedBudget } from '../../../data/shared-memory/shared-budget.ts'
import type { Db, WriteDb } from '../../../data/store/db.ts'
import {
  addReceived,
  findReceived,
  noteReceivedBy,
  pruneReceived,
  receivedByMembers,
} from '../../../data/store/fetching/received.ts'
import { findMember } from '../../../data/store/members/members.ts'
import { AUTHORS_AT_ONCE, type ColdStartBudget } from '../../indexing/members/cold-start-budget.ts'

const KB = 1_000

const NEWCOMER_LIMITS = {
  /** Authors fetched at once, of one member's follows. */
  authorsOfMember: AUTHORS_AT_ONCE,
  /** Fetched in any case: other members must not leave a member's first page empty. */
  authorsInAnyCase: 200,
  authorsInAll: 60_000,
  /** A hundred posts are some 70 kB, or 300 kB if each has pictures with long descriptions. */
  kbOfAuthor: 1_000,
  /** For a member's own repository: a list of 50,000 accounts is some 15 MB. */
  kbOfOwn: 50_000,
  /** Two thousand authors with a hundred ordinary posts each are some 150 MB. */
  kbOfMember: 300_000,
  kbInAll: 4_000_000,
}
/** The size of a page or two of ordinary posts is allowed in any case. */
const LEAST_BYTES = 50 * KB
/** Used as the member for authors fetched for no particular member. */
const NOBODY = 0
const NO_COMMON_LIMIT = 2_000_000_000
const MAX_REMEMBERED = 300_000
const PRUNE_EVERY_MS = 5 * MINUTE_MS

type NewcomerBudget = ColdStartBudget & {
  /** Call before the account becomes a member. */
  cameFrom(member: number, origin: string): void
}

function perHour(each: number, all = NO_COMMON_LIMIT): SharedBudget {
  return createSharedBudget({ buffer: createCountBuffer(), windowSeconds: 3_600, each, all })
}

export function createNewcomerBudget(
  { db, now }: { db: Db; now: () => number },
  changes: Partial<typeof NEWCOMER_LIMITS> = {},
): NewcomerBudget {
  const limits = { ...NEWCOMER_LIMITS, ...changes }
  const { authorsOfMember, authorsInAnyCase } = limits
  const { authors, kilobytes } = createSums(limits)
  const origins = new Map<number, string>()
  let prunedAt = now()

  /** A member whose address is unknown, as after a start, counts as a separate address. */
  const originOf = (member: number) => origins.get(member) ?? `member ${member}`

  for (const { member, kb, authors: count } of receivedByMembers(db, now())) {
    authors.ofMember.spend(String(member), count, now())
    authors.ofOrigin.spend(originOf(member), count, now())
    kilobytes.ofMember.spend(String(member), kb, now())
    kilobytes.ofOrigin.spend(originOf(member), kb, now())
  }

  /** The member that an account is fetched for; members are fetched for themselves. */
  function memberOf(uid: number): number {
    if (findMember(db, uid)) return uid
    return findReceived(db, uid, now())?.member ?? NOBODY
  }

  function prune(db: WriteDb): void {
    if (Math.abs(now() - prunedAt) < PRUNE_EVERY_MS) return
    prunedAt = now()
    pruneReceived(db, now())
  }

  return {
    cameFrom(member, origin) {
      if (origins.size >= MAX_REMEMBERED && !origins.has(member)) origins.clear()
      origins.set(member, origin)
    },
    takesNow(db, { member, author }) {
      const own = authors.ofMember.left(String(member), now())
      const isSure = own > authorsOfMember - authorsInAnyCase
      const origin = originOf(member)
      if (own === 0 || (!isSure && authors.ofOrigin.left(origin, now()) === 0)) return false
      authors.ofMember.spend(String(member), 1, now())
      authors.ofOrigin.spend(origin, 1, now())
      noteReceivedBy(db, author, { member, now: now() })
      return true
    },
    looksAt(db, member, uid) {
      if (!findReceived(db, uid, now())) noteReceivedBy(db, uid, { member, now: now() })
    },
    bytesLeft(uid) {
      const member = memberOf(uid)
      const most = member === uid ? limits.kbOfOwn : limits.kbOfAuthor
      const ofAuthor = Math.max(0, most - (findReceived(db, uid, now())?.kb ?? 0)) * KB
      const ofOrigin = kilobytes.ofOrigin.left(originOf(member), now())
      const ofMember = member === NOBODY ? ofOrigin : kilobytes.ofMember.left(String(member), now())
      return Math.min(ofAuthor, Math.max(Math.min(ofMember, ofOrigin) * KB, LEAST_BYTES))
    },
    spendBytes(db, uid, bytes) {
      const member = memberOf(uid)
      const kb = Math.ceil(bytes / KB)
      prune(db)
      addReceived(db, uid, { member, kb, now: now() })
      kilobytes.ofMember.spend(String(member), kb, now())
      kilobytes.ofOrigin.spend(originOf(member), kb, now())
    },
  }
}

function createSums(limits: typeof NEWCOMER_LIMITS) {
  const { authorsOfMember, authorsInAll, kbOfMember, kbInAll } = limits
  return {
    authors: { ofMember: perHour(authorsOfMember), ofOrigin: perHour(authorsInAll, authorsInAll) },
    kilobytes: { ofMember: perHour(kbOfMember), ofOrigin: perHour(kbInAll, kbInAll) },
  }
}
