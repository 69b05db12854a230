// A member's cold start. First the follow list, newest first: each applied page updates the circle of authors
// and queues their jobs, and the graph and the timeline grow with it. Then the rest: authors that were known
// before and never read, and the member's own repository.

import type { WriteDb } from '../../data/store/db.ts'
import { findBackfill } from '../../data/store/fetching/backfills.ts'
import { followsByAge } from '../../data/store/fetching/follow-order.ts'
import { type JobKind, jobPriority } from '../../data/store/fetching/job-kinds.ts'
import { isJobWaiting, rankJob } from '../../data/store/fetching/job-schedule.ts'
import { deleteJob, enqueueJob } from '../../data/store/fetching/jobs.ts'
import { findActor } from '../../data/store/records/actors.ts'
import type { RepoTarget } from '../../sources/pds/pds-client.ts'
import { MAX_AUTHORS_TO_FETCH } from '../indexing/fetch-missing.ts'
import { AUTHORS_AT_ONCE } from '../indexing/members/cold-start-budget.ts'
import { loadFollows, type RepoJobResult } from './repo-jobs.ts'
import { type Services, yieldToOthers } from './work.ts'

/** A feed needs names and faces, so these are queued together, author by author. */
const AT_ONCE: JobKind[] = ['feed', 'profile']
const LATER: JobKind[] = ['follows', 'blocks', 'records']
const AUTHORS_A_TRANSACTION = 100

export async function startMember(services: Services, repo: RepoTarget): Promise<RepoJobResult> {
  queueOwn(services, repo.uid)
  const result = await loadFollows(services, repo)
  await queueAuthors(services, repo.uid)
  return result
}

function queueOwn({ commit }: Services, uid: number): void {
  commit(({ db }) => {
    for (const kind of ['identity', 'profile', 'feed', 'blocks', 'records'] as const) {
      enqueueJob(db, kind, uid, jobPriority.wanted)
    }
    enqueueJob(db, 'repo', uid, jobPriority.follows)
  })
}

/** Queues the newest follows first; skips authors already loaded for another member. */
async function queueAuthors(services: Services, uid: number): Promise<void> {
  const { commit, coldStarts } = services
  const subjects = followsByAge(services.db, uid).slice(0, MAX_AUTHORS_TO_FETCH)
  for (let start = 0; start < subjects.length; start += AUTHORS_A_TRANSACTION) {
    commit(({ db }) => {
      for (const [i, subject] of subjects.slice(start, start + AUTHORS_A_TRANSACTION).entries()) {
        const rank = start + i
        const isLater = isJobWaiting(db, 'author', subject)
        const isDue = isLater
          ? coldStarts.takesNow(db, { member: uid, author: subject, rank })
          : rank < AUTHORS_AT_ONCE
        if (isLater && isDue) deleteJob(db, 'author', subject)
        if (isDue) queueAuthor(db, subject, rank + 1)
        else if (!findBackfill(db, subject, 'feed')) enqueueJob(db, 'author', subject)
      }
    })
    await yieldToOthers(services)
  }
}

function queueAuthor(db: WriteDb, subject: number, rank: number): void {
  const isIdentified = findActor(db, subject)?.identity_checked_at != null
  if (!isIdentified) queue(db, { kind: 'identity', subject, rank }, jobPriority.feed)
  for (const kind of AT_ONCE) queue(db, { kind, subject, rank }, jobPriority.feed)
  for (const kind of LATER) queue(db, { kind, subject, rank }, jobPriority[kind])
}

function queue(
  db: WriteDb,
  job: { kind: JobKind; subject: number; rank: number },
  priority: number,
): void {
  if (findBackfill(db, job.subject, job.kind)) return
  enqueueJob(db, job.kind, job.subject, priority)
  rankJob(db, job, job.rank)
}
