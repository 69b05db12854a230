// Queues a comparison with an account's own repository: a row that gives the cause, and the job.

import type { StreamGap } from '@slipstream/jetstream'
import { backoffMs } from '../../base/util/backoff.ts'
import { MINUTE_MS, SECOND_MS } from '../../base/util/durations.ts'
import { rankJob } from '../../data/store/fetching/job-schedule.ts'
import { enqueueJobAgain } from '../../data/store/fetching/jobs.ts'
import {
  countClosedGapsSince,
  type GapCause,
  insertAccountGap,
  insertGap,
} from '../../data/store/stream/gaps.ts'
import type { IndexContext } from './index-context.ts'

/**
 * Others may follow the first, and its own server may not have it yet. An account with unreadable records must not
 * keep us comparing all the time: each comparison of the last ten minutes makes the wait four times as long.
 */
const WAIT = { firstMs: 5 * SECOND_MS, longestMs: 10 * MINUTE_MS }
const DOUBLINGS = 2

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
  const compared = countClosedGapsSince(ctx.db, uid, ctx.now - WAIT.longestMs)
  const waitMs = backoffMs({ ...WAIT, failures: compared * DOUBLINGS })
  rankJob(ctx.db, { kind: 'repo', subject: uid }, ctx.now + waitMs)
}
