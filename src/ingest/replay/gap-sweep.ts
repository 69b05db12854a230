// Repairs what no host can replay: each member and author is looked at (job `check`), and whose repository changed
// since the gap began is compared with what we hold; and they are looked up anew (job `identity`), since who changed
// handle or server meanwhile told it then. Jobs are queued a few hundred at a time, behind all others; how far the
// sweep is stands in the gap's row. A sweep is for all gaps that wait for one when it begins. What strangers did
// meanwhile is not found this way: nobody can say who of the whole network they were. The row says so.

import type { Logger } from '../../base/obs/log.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import { forgetActorIdentity } from '../../data/store/actors.ts'
import type { WriteDb } from '../../data/store/db.ts'
import {
  absorbGap,
  closeGap,
  setGapReached,
  setGapStep,
  sweepingGap,
} from '../../data/store/gap-repair.ts'
import { type Gap, streamGaps } from '../../data/store/gaps.ts'
import { isAnyJobWaiting } from '../../data/store/job-schedule.ts'
import { enqueueJob, enqueueJobAgain } from '../../data/store/jobs.ts'
import { isInCircle } from '../indexing/index-context.ts'

/** Whose repositories are kept whole. */
export type Circle = {
  /** uids above `after`, ascending. */
  next(after: number, limit: number): number[]
  /** Accounts that are known but not of the circle. */
  others(): number
}

/** Members and whom they follow. */
export function circleOf(actors: ActorReader): Circle {
  const isInside = (uid: number) => isInCircle(actors, uid)
  return {
    next(after, limit) {
      const uids: number[] = []
      for (let uid = after + 1; uid <= actors.count && uids.length < limit; uid++) {
        if (isInside(uid)) uids.push(uid)
      }
      return uids
    },
    others() {
      let others = 0
      for (let uid = 1; uid <= actors.count; uid++) if (!isInside(uid)) others++
      return others
    },
  }
}

const JOBS_AT_ONCE = 200

/** One step. @returns whether jobs were queued. */
export function sweep(
  db: WriteDb,
  { circle, log, now }: { circle: Circle; log: Logger; now: number },
): boolean {
  if (!sweepingGap(db)) begin(db, now)
  const id = sweepingGap(db)?.id
  const gap = streamGaps(db).find((one) => one.id === id)
  if (!gap || isAnyJobWaiting(db, 'check')) return false
  const uids = circle.next(gap.reached, JOBS_AT_ONCE)
  if (uids.length === 0) {
    closeGap(db, gap.id, { how: 'compared', note: noteOf(gap, circle.others()), now })
    log.info({ gap: gap.id, compared: gap.compared, unreachable: gap.unreachable }, 'gap closed')
    return false
  }
  for (const uid of uids) {
    enqueueJob(db, 'check', uid)
    forgetActorIdentity(db, uid)
    enqueueJobAgain(db, 'identity', uid)
  }
  setGapReached(db, gap.id, uids.at(-1)!)
  return true
}

function begin(db: WriteDb, now: number): void {
  const [first, ...others] = streamGaps(db).filter(({ step }) => step === 'compare')
  if (!first) return
  for (const { id } of others) absorbGap(db, first.id, { id, now })
  setGapStep(db, first.id, { step: 'compare', reached: 0 })
}

function noteOf({ compared, unreachable }: Gap, others: number): string | undefined {
  const notes: string[] = []
  if (unreachable > 0)
    notes.push(`${unreachable} of ${compared} repositories could not be read yet`)
  if (others > 0) notes.push(`what ${others} other known accounts and strangers did is not known`)
  return notes.join('; ') || undefined
}
