// Settles the gap that a job was to repair when the job ends. Called in the job's last transaction.

import { DAY_MS } from '../../base/util/durations.ts'
import type { WriteDb } from '../../data/store/db.ts'
import type { Job } from '../../data/store/fetching/jobs.ts'
import {
  closeAccountGap,
  countCompared,
  putOffAccountGap,
  sweepingGap,
} from '../../data/store/stream/gap-repair.ts'
import { insertAccountGap } from '../../data/store/stream/gaps.ts'
import type { RepoJobResult } from './repo-jobs.ts'

/** When to retry a server that stayed unreadable through all tries of a job. */
const AGAIN_MS = DAY_MS

type JobEnd = {
  now: number
  result?: RepoJobResult | undefined
  /** Why there was no server to ask. */
  why?: string | undefined
}

/** These jobs compare records that were missed, perhaps along with the account's deletion. */
export function isGapRepair({ kind }: Job): boolean {
  return kind === 'repo' || kind === 'check'
}

/** Settles the gap of a finished job, whether it read the repository or there is none. */
export function settleGap(db: WriteDb, { kind, subject }: Job, end: JobEnd): void {
  if (kind === 'repo') closeAccountGap(db, subject, { how: howOf(end), now: end.now })
  if (kind !== 'check') return
  const gap = sweepingGap(db)
  if (gap) countCompared(db, gap.id, true)
}

/**
 * Without an answer, the account's gap stays, or becomes a gap for the account alone, and is
 * retried later.
 */
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
