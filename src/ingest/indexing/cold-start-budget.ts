// How much of a newcomer's cold start is done at once: how many of those whom they follow are fetched, and how
// many bytes the repositories of these authors may bring, and of strangers whose pages members open. Whoever is beyond waits as a job `author`, and is fetched
// slowly; so are records that are beyond. The ingest thread counts (ingest/upkeep/newcomer-budget.ts).

import type { WriteDb } from '../../data/store/db.ts'

export type ColdStartBudget = {
  /**
   * @param of.member - who follows the author, uid
   * @param of.place - how many that member followed before
   * @returns whether the author is fetched at once
   */
  takesNow(db: WriteDb, of: { member: number; author: number; place: number }): boolean
  /** The member has an account's records fetched by looking at them. */
  looksAt(db: WriteDb, member: number, uid: number): void
  /** What more this account's posts and other records may bring now: bytes of JSON. */
  bytesLeft(uid: number): number
  spendBytes(db: WriteDb, uid: number, bytes: number): void
}

/** Of a member's follows, in an hour; beyond it a timeline is lossy anyway. */
export const AUTHORS_AT_ONCE = 2_000

/** Where nobody counts. */
export const UNCOUNTED: ColdStartBudget = {
  takesNow: (_db, { place }) => place < AUTHORS_AT_ONCE,
  looksAt: () => undefined,
  bytesLeft: () => Number.POSITIVE_INFINITY,
  spendBytes: () => undefined,
}
