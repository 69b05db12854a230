// The jobs that are in the window or running, so that none is taken twice. While some of them are for a
// newcomer's first page, no less urgent job starts; only for a while, since a server may hang.

import { jobPriority } from '../../data/store/fetching/job-kinds.ts'
import { type Job, keyOf } from '../../data/store/fetching/jobs.ts'

export type HeldJobs = {
  has(job: Job): boolean
  add(job: Job): void
  delete(job: Job): void
  /** Highest priority number that may run now; jobs above it wait. */
  leastUrgent(): number
}

const LATEST_FIRST_MS = 6_000

export function createHeldJobs(now: () => number): HeldJobs {
  const held = new Set<string>()
  let latest = 0
  let latestSince = 0

  return {
    has: (job) => held.has(keyOf(job)),
    add(job) {
      if (job.kind === 'latest' && latest++ === 0) latestSince = now()
      held.add(keyOf(job))
    },
    delete(job) {
      if (held.delete(keyOf(job)) && job.kind === 'latest') latest--
    },
    leastUrgent() {
      const isHurried = latest > 0 && now() - latestSince < LATEST_FIRST_MS
      return isHurried ? jobPriority.latest : Number.POSITIVE_INFINITY
    },
  }
}
