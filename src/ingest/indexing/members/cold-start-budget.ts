// Limits how much of a newcomer's cold start is done at once: how many of their follows are fetched, and how
// many bytes may be loaded from the repositories of these authors, and of strangers whose pages members open.
// Authors beyond the limit wait as a job `author` and are fetched slowly; so are records beyond it. The
// ingest thread counts (ingest/upkeep/requests/newcomer-budget.ts).

import type { WriteDb } from '../../../data/store/db.ts'

export type ColdStartBudget = {
  /**
   * @param of.member - uid of the author's follower
   * @param of.place - how many accounts that member followed before
   * @returns whether the author is fetched at once
   */
  takesNow(db: WriteDb, of: { member: number; author: number; rank: number }): boolean
  /** Notes that a member viewed an account, which has its records fetched. */
  looksAt(db: WriteDb, member: number, uid: number): void
  /** Bytes of JSON that may still be loaded now of this account's posts and other records. */
  bytesLeft(uid: number): number
  spendBytes(db: WriteDb, uid: number, bytes: number): void
}

/** A member's follows fetched per hour; beyond that a timeline is lossy anyway. */
export const AUTHORS_AT_ONCE = 2_000

/** A budget without accounting. */
export const UNCOUNTED: ColdStartBudget = {
  takesNow: (_db, { rank }) => rank < AUTHORS_AT_ONCE,
  looksAt: () => undefined,
  bytesLeft: () => Number.POSITIVE_INFINITY,
  spendBytes: () => undefined,
}
