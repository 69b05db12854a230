// Truncates the pages of a listing to the bytes that the account's cold start may load
// (ingest/indexing/members/cold-start-budget.ts). Records beyond it count as unusable, and are fetched singly when a
// client views them, or with the rest of their listing once an hour has renewed the budget (slow-lane.ts).
// Records already here cost nothing.

import { HOUR_MS } from '../../base/util/durations.ts'
import type { WriteDb } from '../../data/store/db.ts'
import { findBackfill, putBackfill } from '../../data/store/fetching/backfills.ts'
import { rankJob } from '../../data/store/fetching/job-schedule.ts'
import { enqueueJob, type Job } from '../../data/store/fetching/jobs.ts'
import type { RecordPage, RepoTarget } from '../../sources/pds/pds-client.ts'
import type { Take } from '../../sources/pds/walk.ts'
import type { Services } from './work.ts'

/** The budget's effect on a job's listings. */
export type Cut = { takenBytes: number; leftOut: number }

type Loaded = { rev: string | undefined; cut?: Cut }

/** A budget covers an hour. */
const AGAIN_MS = HOUR_MS
/** Few posts are larger, even with all their images described. */
const ORDINARY_BYTES = 10_000

/** @param options - `isCounted` false: another job requests the records left out here, too */
export function withinBudget(
  { apply, coldStarts, commit }: Services,
  { uid }: RepoTarget,
  { isCounted = true } = {},
): { take: Take; cut: Cut } {
  const cut: Cut = { takenBytes: 0, leftOut: 0 }
  const take: Take = (page, isHeld = () => false) => {
    const { fitting, bytes } = fitOf(page, isHeld, coldStarts.bytesLeft(uid))
    if (bytes > 0) commit(({ db }) => coldStarts.spendBytes(db, uid, bytes))
    cut.takenBytes += bytes
    const beyond = page.records.slice(fitting).map(({ rkey }) => rkey)
    if (beyond.length === 0) return { page, isSpent: false }
    cut.leftOut += beyond.length
    if (isCounted) apply.leaveOut('over-budget', beyond.length)
    const records = page.records.slice(0, fitting)
    return { page: { ...page, records, broken: [...page.broken, ...beyond] }, isSpent: true }
  }
  return { take, cut }
}

function fitOf({ records }: RecordPage, isHeld: (rkey: string) => boolean, left: number) {
  let bytes = 0
  let fitting = 0
  for (const { rkey, record } of records) {
    const length = isHeld(rkey) ? 0 : JSON.stringify(record).length
    if (bytes + length > left) break
    bytes += length
    fitting += 1
  }
  return { fitting, bytes }
}

/** Whether a record fetched singly may be kept; always true unless it is huge. */
export function fitsBudget(
  { coldStarts, commit }: Services,
  { uid }: RepoTarget,
  { records }: Pick<RecordPage, 'records'>,
): boolean {
  const bytes = records.reduce((sum, { record }) => sum + JSON.stringify(record).length, 0)
  if (bytes > ORDINARY_BYTES && bytes > coldStarts.bytesLeft(uid)) return false
  if (bytes > 0) commit(({ db }) => coldStarts.spendBytes(db, uid, bytes))
  return true
}

/**
 * Records that the job has read all it could. Left-out records are requested again as long as each
 * try loads some of them, so a record larger than any budget is not requested forever.
 */
export function noteLoaded(db: WriteDb, job: Job, result: Loaded, now: number): void {
  const { kind, subject } = job
  const { leftOut = 0, takenBytes = 0 } = result.cut ?? {}
  const isFirst = !findBackfill(db, subject, kind)?.left_out
  const row = { rev: result.rev ?? null, finished_at: now, left_out: leftOut }
  putBackfill(db, subject, kind, row)
  if (leftOut === 0 || (!isFirst && takenBytes === 0)) return
  enqueueJob(db, 'rest', subject)
  rankJob(db, { kind: 'rest', subject }, now + AGAIN_MS)
}
