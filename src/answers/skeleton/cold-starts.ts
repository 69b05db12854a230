// Progress of an account's cold start, as far as posts are concerned: the milestones recorded by the ingest
// thread (ingest/backfill/milestones.ts). Accounts that may read here but are not members yet are about to
// become members. Every timeline page asks, so finished cold starts are remembered until the account's
// backfill is invalidated.

import { INVALIDATION } from '../../data/shared-memory/invalidation-kinds.ts'
import type { InvalidationReader } from '../../data/shared-memory/invalidation-ring.ts'
import type { Db } from '../../data/store/db.ts'
import {
  COLD_START,
  findBackfill,
  MILESTONES,
  milestonesReached,
} from '../../data/store/fetching/backfills.ts'
import { isJobPutOff } from '../../data/store/fetching/job-schedule.ts'

/** The latest milestone reached, in this order. */
export type Reached = 'nothing' | keyof typeof MILESTONES | 'everything'

export type ColdStarts = {
  reached(uid: number): Reached
  /**
   * Whether the account's PDS is unreachable or busy and not asked before `until`: no progress
   * until then.
   */
  isPutOff(uid: number, times: { now: number; until: number }): boolean
  /**
   * Time from which all posts by the followed accounts are indexed, in ms since 1970; undefined if
   * not known yet.
   */
  knownSince(uid: number): number | undefined
}

/** More accounts than read here at a time. */
const MAX_REMEMBERED = 100_000

/** @param invalidations - a reader for this use alone; without it, nothing is remembered */
export function createColdStarts(db: Db, invalidations?: InvalidationReader): ColdStarts {
  const isOver = createRemembered(invalidations)
  return {
    isPutOff: (uid, times) => isJobPutOff(db, { kind: 'member', subject: uid }, times),
    reached(uid) {
      if (isOver.has(uid)) return 'everything'
      const there = milestonesReached(db, uid)
      if (there.includes(COLD_START)) {
        isOver.add(uid)
        return 'everything'
      }
      if (there.includes(MILESTONES.posts)) return 'posts'
      if (there.includes(MILESTONES.feeds)) return 'feeds'
      if (there.includes(MILESTONES.newest)) return 'newest'
      return there.includes(MILESTONES.latest) ? 'latest' : 'nothing'
    },
    knownSince(uid) {
      const rev = findBackfill(db, uid, MILESTONES.latest)?.rev
      return rev == null ? undefined : Number(rev)
    },
  }
}

function createRemembered(invalidations: InvalidationReader | undefined) {
  const uids = new Set<number>()
  return {
    has(uid: number): boolean {
      const isComplete = invalidations?.take((kind, subject) => {
        if (kind === INVALIDATION.backfills) uids.delete(subject)
        else if (kind === INVALIDATION.everything) uids.clear()
      })
      if (isComplete === false) uids.clear()
      return uids.has(uid)
    },
    /** Remembers an account whose milestones were read after the last call of `has`. */
    add(uid: number): void {
      if (!invalidations) return
      if (uids.size >= MAX_REMEMBERED) uids.clear()
      uids.add(uid)
    },
  }
}
