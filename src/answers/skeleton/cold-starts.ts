// How far an account's cold start is, as far as posts are concerned: what the ingest thread wrote down of it
// (ingest/backfill/milestones.ts). Whoever may read here and is no member yet is about to be one.

import { COLD_START, MILESTONES } from '../../data/store/backfills.ts'
import type { Db } from '../../data/store/db.ts'

/** The latest of them, in this order. */
export type Reached = 'nothing' | keyof typeof MILESTONES | 'everything'

export type ColdStarts = {
  reached(uid: number): Reached
}

export function createColdStarts(db: Db): ColdStarts {
  const { newest, feeds, posts } = MILESTONES
  const reached = db
    .prepare<[number], string>(
      `SELECT what FROM backfills
        WHERE uid = ? AND what IN ('${COLD_START}', '${newest}', '${feeds}', '${posts}')`,
    )
    .pluck()
  return {
    reached(uid) {
      const there = reached.all(uid)
      if (there.includes(COLD_START)) return 'everything'
      if (there.includes(posts)) return 'posts'
      if (there.includes(feeds)) return 'feeds'
      return there.includes(newest) ? 'newest' : 'nothing'
    },
  }
}
