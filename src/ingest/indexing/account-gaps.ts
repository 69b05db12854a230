// Queues a comparison with an account's own repository: a row that gives the cause, and the job.

import type { StreamGap } from '@slipstream/jetstream'
import { MINUTE_MS, SECOND_MS } from '../../base/util/durations.ts'
import { rankJob } from '../../data/store/fetching/job-schedule.ts'
import { enqueueJobAgain } from '../../data/store/fetching/jobs.ts'
import {
  type GapCause,
  hasClosedGapSince,
  insertAccountGap,
  insertGap,
} from '../../data/store/stream/gaps.ts'
import type { IndexContext } from './index-context.ts'

/** An account with unreadable records must not keep us comparing all the time. */
const BROKEN_WAIT_MS = 10 * MINUTE_MS
/** Others may follow the first, and its own server may not have it yet. */
const FIRST_WAIT_MS = 5 * SECOND_MS

/** Times in microseconds; `fromUs` is 0 if the beginning is unknown. */
export function missOfAccount(
  ctx: IndexContext,
  gap: { uid: number; cause: GapCause; fromUs: number; toUs: number },
): void {
  insertAccountGap(ctx.db, gap, ctx.now)
  enqueueJobAgain(ctx.db, 'repo', gap.uid)
}

/** Notes a gap that the stream reports. */
export function applyGap(ctx: IndexContext, gap: StreamGap): void {
  if (gap.did === undefined) {
    insertGap(ctx.db, gap, ctx.now)
    return
  }
  const uid = ctx.actors.uidOf(gap.did)
  // There is nothing to compare for an unknown account.
  if (uid === 0) return
  missOfAccount(ctx, { uid, cause: gap.cause, fromUs: gap.fromUs, toUs: gap.toUs })
  const isAgain = hasClosedGapSince(ctx.db, uid, ctx.now - BROKEN_WAIT_MS)
  const waitMs = isAgain ? BROKEN_WAIT_MS : FIRST_WAIT_MS
  rankJob(ctx.db, { kind: 'repo', subject: uid }, ctx.now + waitMs)
}
