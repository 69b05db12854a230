// Authors that members follow beyond their budget: each has one job until its turn, then jobs like any other
// author, but behind all others. So however many accounts a member follows, few rows wait, few requests are
// made, and no other cold start is held up. Authors whose records exceeded the byte budget have their turns
// here too, each an hour later (within-budget.ts).

import type { WriteDb } from '../../data/store/db.ts'
import { cutShort, findBackfill } from '../../data/store/fetching/backfills.ts'
import type { JobKind } from '../../data/store/fetching/job-kinds.ts'
import { enqueueJob, finishJob, nextSlowJobs, SLOW_LANE } from '../../data/store/fetching/jobs.ts'
import { findActor } from '../../data/store/records/actors.ts'
import { findProfile } from '../../data/store/records/profiles.ts'
import type { Services } from './work.ts'

/** An author takes about ten requests; 15,000 authors take four hours. */
const AUTHORS_A_SECOND = 1
/** Most authors at once after a pause. */
const MAX_AT_ONCE = 5
const AFTER_IT = SLOW_LANE + 1
const KINDS: JobKind[] = ['feed', 'follows', 'blocks', 'records']

export type SlowLane = { advance(): void }

export function createSlowLane({
  commit,
  db,
  now,
}: Pick<Services, 'commit' | 'db' | 'now'>): SlowLane {
  let lastAt = now()
  return {
    advance() {
      const due = Math.floor(((now() - lastAt) / 1_000) * AUTHORS_A_SECOND)
      if (due < 1 && now() >= lastAt) return
      lastAt = now()
      const jobs = nextSlowJobs(db, now(), Math.min(due, MAX_AT_ONCE))
      if (jobs.length === 0) return
      commit(({ db }) => {
        for (const job of jobs) {
          finishJob(db, job)
          if (job.kind === 'author') queueSlowly(db, job.subject)
          else queueRest(db, job.subject)
        }
      })
    },
  }
}

function queueSlowly(db: WriteDb, author: number): void {
  const actor = findActor(db, author)
  if (!actor) return
  if (actor.identity_checked_at == null) enqueueJob(db, 'identity', author, AFTER_IT)
  if (!findProfile(db, author)) enqueueJob(db, 'profile', author, AFTER_IT)
  for (const kind of KINDS) {
    if (!findBackfill(db, author, kind)) enqueueJob(db, kind, author, AFTER_IT)
  }
}

/** Queues the truncated listings from their beginning: records already here cost nothing. */
function queueRest(db: WriteDb, author: number): void {
  const cut = new Set(cutShort(db, author))
  for (const kind of KINDS) if (cut.has(kind)) enqueueJob(db, kind, author, AFTER_IT)
}
