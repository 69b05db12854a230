// Pages of a listing as far as the account's cold start may bring bytes (ingest/indexing/cold-start-budget.ts). What is
// beyond counts as a record that can't be used, and is fetched alone when somebody looks at it; or with all the
// rest of its listing when an hour has brought a new budget (slow-lane.ts). What is here already costs nothing.

import { HOUR_MS } from '../../base/util/durations.ts'
import { findBackfill, putBackfill } from '../../data/store/backfills.ts'
import type { WriteDb } from '../../data/store/db.ts'
import { rankJob } from '../../data/store/job-schedule.ts'
import { enqueueJob, type Job } from '../../data/store/jobs.ts'
import type { Take } from '../../sources/pds/listing.ts'
import type { RecordPage, RepoTarget } from '../../sources/pds/pds-client.ts'
import type { Services } from './work.ts'

/** What the budget did to a job's listings. */
export type Cut = { takenBytes: number; leftOut: number }

type Loaded = { rev: string | undefined; cut?: Cut }

/** A budget is of an hour. */
const AGAIN_MS = HOUR_MS
/** Few posts have more, with all their pictures described. */
const ORDINARY_BYTES = 10_000

/** @param options - `isCounted` false: what is left out here another job asks for, too */
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

/** Whether a record that was fetched alone may be kept: one that is not huge may in any case. */
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
 * The job has read what it could. What was left out is taken up again, as long as each time brings some of it: a
 * record that is larger than any budget is not asked for forever.
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
