// What members may have fetched in an hour, each of them and all who came from one address, so that a flood of made
// accounts takes a part of the machine and never all: authors fetched at once, and bytes of records. Some authors of
// each member are fetched in any case. What an author brought, and for whom, are rows; what a member did is summed up
// from them at start. Whence members came is in memory alone: after a start each of them is one.

import { MINUTE_MS } from '../../base/util/durations.ts'
import { createCountBuffer } from '../../data/shared-memory/count-table.ts'
import { createSharedBudget, type SharedBudget } from '../../data/shared-memory/shared-budget.ts'
import {
  addBrought,
  broughtByMembers,
  findBrought,
  noteBroughtBy,
  pruneBrought,
} from '../../data/store/brought.ts'
import type { Db, WriteDb } from '../../data/store/db.ts'
import { findMember } from '../../data/store/members.ts'
import { AUTHORS_AT_ONCE, type ColdStartBudget } from '../indexing/cold-start-budget.ts'

const KB = 1_000

const NEWCOMER_LIMITS = {
  /** Fetched at once, of one member's follows. */
  authorsOfMember: AUTHORS_AT_ONCE,
  /** Of these whatever others took: nobody's first page is empty because of others. */
  authorsInAnyCase: 200,
  authorsInAll: 60_000,
  /** A hundred posts are some 70 kB, and 300 where each has pictures that are described at length. */
  kbOfAuthor: 1_000,
  /** Of a member's own repository: a list of 50,000 accounts is some 15 MB. */
  kbOfOwn: 50_000,
  /** Two thousand authors of a hundred ordinary posts are some 150 MB. */
  kbOfMember: 300_000,
  kbInAll: 4_000_000,
}
/** What a page or two of ordinary posts take is let through in any case. */
const LEAST_BYTES = 50 * KB
/** Stands for the member where an author is fetched for nobody in particular. */
const NOBODY = 0
const NO_COMMON_LIMIT = 2_000_000_000
const MAX_REMEMBERED = 300_000
const PRUNE_EVERY_MS = 5 * MINUTE_MS

type NewcomerBudget = ColdStartBudget & {
  /** Said before the account becomes a member. */
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

  /** Where nobody knows whence they came, as of who was here at start, each is one. */
  const originOf = (member: number) => origins.get(member) ?? `member ${member}`

  for (const { member, kb, authors: count } of broughtByMembers(db, now())) {
    authors.ofMember.spend(String(member), count, now())
    authors.ofOrigin.spend(originOf(member), count, now())
    kilobytes.ofMember.spend(String(member), kb, now())
    kilobytes.ofOrigin.spend(originOf(member), kb, now())
  }

  /** For whom an account is fetched: a member for themselves. */
  function memberOf(uid: number): number {
    if (findMember(db, uid)) return uid
    return findBrought(db, uid, now())?.member ?? NOBODY
  }

  function prune(db: WriteDb): void {
    if (Math.abs(now() - prunedAt) < PRUNE_EVERY_MS) return
    prunedAt = now()
    pruneBrought(db, now())
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
      noteBroughtBy(db, author, { member, now: now() })
      return true
    },
    looksAt(db, member, uid) {
      if (!findBrought(db, uid, now())) noteBroughtBy(db, uid, { member, now: now() })
    },
    bytesLeft(uid) {
      const member = memberOf(uid)
      const most = member === uid ? limits.kbOfOwn : limits.kbOfAuthor
      const ofAuthor = Math.max(0, most - (findBrought(db, uid, now())?.kb ?? 0)) * KB
      const ofOrigin = kilobytes.ofOrigin.left(originOf(member), now())
      const ofMember = member === NOBODY ? ofOrigin : kilobytes.ofMember.left(String(member), now())
      return Math.min(ofAuthor, Math.max(Math.min(ofMember, ofOrigin) * KB, LEAST_BYTES))
    },
    spendBytes(db, uid, bytes) {
      const member = memberOf(uid)
      const kb = Math.ceil(bytes / KB)
      prune(db)
      addBrought(db, uid, { member, kb, now: now() })
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
