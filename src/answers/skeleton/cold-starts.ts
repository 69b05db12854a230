// How far an account's cold start is, as far as posts are concerned: what the ingest thread wrote down of it
// (ingest/backfill/milestones.ts). Whoever may read here and is no member yet is about to be one. Each page of a
// timeline asks, so whose is over is remembered until what was loaded of them is forgotten.

import { INVALIDATION } from '../../data/shared-memory/invalidation-kinds.ts'
import type { InvalidationReader } from '../../data/shared-memory/invalidation-ring.ts'
import {
  COLD_START,
  findBackfill,
  MILESTONES,
  milestonesReached,
} from '../../data/store/backfills.ts'
import type { Db } from '../../data/store/db.ts'
import { isJobPutOff } from '../../data/store/job-schedule.ts'

/** The latest of them, in this order. */
export type Reached = 'nothing' | keyof typeof MILESTONES | 'everything'

export type ColdStarts = {
  reached(uid: number): Reached
  /** Whether their own server is away or busy, and isn't asked before `until`: nothing moves so long. */
  isPutOff(uid: number, times: { now: number; until: number }): boolean
  /** Since when everything by those they follow is here, in ms since 1970; undefined while nobody knows. */
  knownSince(uid: number): number | undefined
}

/** More than read here at a time. */
const MAX_REMEMBERED = 100_000

/** @param invalidations - of this part alone; without them nothing is remembered */
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
      const isWhole = invalidations?.take((kind, subject) => {
        if (kind === INVALIDATION.backfills) uids.delete(subject)
        else if (kind === INVALIDATION.everything) uids.clear()
      })
      if (isWhole === false) uids.clear()
      return uids.has(uid)
    },
    /** What was read since `has` was asked. */
    add(uid: number): void {
      if (!invalidations) return
      if (uids.size >= MAX_REMEMBERED) uids.clear()
      uids.add(uid)
    },
  }
}
