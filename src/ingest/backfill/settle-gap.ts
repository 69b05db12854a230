// What the end of a job means for the gap that it was to repair. Called in the job's last transaction.

import { DAY_MS } from '../../base/util/durations.ts'
import type { WriteDb } from '../../data/store/db.ts'
import {
  closeAccountGap,
  countCompared,
  putOffAccountGap,
  sweepingGap,
} from '../../data/store/gap-repair.ts'
import { insertAccountGap } from '../../data/store/gaps.ts'
import type { Job } from '../../data/store/jobs.ts'
import type { RepoJobResult } from './repo-jobs.ts'

/** A server that could not be read for as long as a job tries is asked again after this. */
const AGAIN_MS = DAY_MS

type JobEnd = {
  now: number
  result?: RepoJobResult | undefined
  /** Why there was nobody to ask. */
  why?: string | undefined
}

/** What it compares was missed somehow, and its account's deletion perhaps with it. */
export function isGapRepair({ kind }: Job): boolean {
  return kind === 'repo' || kind === 'check'
}

/** The job is over, whether it read the repository or there is none. */
export function settleGap(db: WriteDb, { kind, subject }: Job, end: JobEnd): void {
  if (kind === 'repo') closeAccountGap(db, subject, { how: howOf(end), now: end.now })
  if (kind !== 'check') return
  const gap = sweepingGap(db)
  if (gap) countCompared(db, gap.id, true)
}

/** Nobody answered: the account's gap stays, or becomes one of its own, and is tried again later. */
export function leaveGap(db: WriteDb, job: Job, now: number): void {
  const { kind, subject } = job
  const gap = kind === 'check' ? sweepingGap(db) : undefined
  if (gap) {
    const { fromUs, toUs } = gap
    countCompared(db, gap.id, false)
    insertAccountGap(db, { uid: subject, cause: 'unreachable', fromUs, toUs }, now)
  }
  if (isGapRepair(job)) putOffAccountGap(db, subject, now + AGAIN_MS)
}

function howOf({ why, result }: JobEnd): string {
  if (why !== undefined) return `nothing to compare: ${why}`.slice(0, 200)
  const unchecked = result?.unchecked ?? 0
  return unchecked === 0 ? 'compared' : `compared but for ${unchecked} old records`
}
