// Limits the fetches that members cause by viewing or keeping things (bookmarks, muted lists): in jobs, for
// each member and for all, within a minute and in the queue. Fetches beyond the limit are not queued; the
// next request that shows the subject asks again.

import { createCountBuffer } from '../../../data/shared-memory/count-table.ts'
import { createSharedBudget, PART } from '../../../data/shared-memory/shared-budget.ts'
import { jobPriority } from '../../../data/store/fetching/job-kinds.ts'
import { countJobsOf } from '../../../data/store/fetching/jobs.ts'
import { fetchMissing, type JobBudget } from '../../indexing/fetch-missing.ts'
import type { IndexContext } from '../../indexing/index-context.ts'

/** A page of a hundred posts by authors not followed here takes some 400 jobs. */
const PER_MINUTE = { each: 500, all: 10_000 }
const MAX_WAITING = 5_000
const SETS = 1_024

export type FetchBudget = {
  /** @returns whether all of it was queued */
  want(ctx: IndexContext, request: { did: string; uris: string[]; dids: string[] }): boolean
}

export function createFetchBudget(): FetchBudget {
  const buffer = createCountBuffer(SETS)
  const perMinute = createSharedBudget({ buffer, windowSeconds: 60, ...PER_MINUTE })
  return {
    want(ctx, request) {
      const waiting = countJobsOf(ctx.db, jobPriority.wanted, MAX_WAITING)
      // As with the budget per minute, each member gets only a part of the remaining queue.
      const diskSpace = Math.ceil((MAX_WAITING - waiting) * PART)
      const most = Math.min(perMinute.left(request.did, ctx.now), diskSpace)
      const budget: JobBudget = { left: most, isSpent: false }
      fetchMissing(ctx, request, budget)
      perMinute.spend(request.did, most - budget.left, ctx.now)
      return !budget.isSpent
    },
  }
}
