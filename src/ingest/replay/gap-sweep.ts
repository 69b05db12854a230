// Repairs what no host can replay. Checks each member and author (job `check`): repositories changed since
// the gap began are compared with our copy. Looks each up again (job `identity`), as handle and server may
// have changed. Jobs are queued a few hundred at a time, behind all others; the gap's row holds the progress.
// A sweep covers all gaps that wait when it begins. It can't find what strangers did meanwhile, as they are
// unknown; the row says so.

import type { Logger } from '../../base/obs/log.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { WriteDb } from '../../data/store/db.ts'
import { isAnyJobWaiting } from '../../data/store/fetching/job-schedule.ts'
import { enqueueJob, enqueueJobAgain } from '../../data/store/fetching/jobs.ts'
import { forgetActorIdentity } from '../../data/store/records/actors.ts'
import {
  absorbGap,
  closeGap,
  setGapReached,
  setGapStep,
  sweepingGap,
} from '../../data/store/stream/gap-repair.ts'
import { type Gap, streamGaps } from '../../data/store/stream/gaps.ts'
import { isInCircle } from '../indexing/index-context.ts'

/** Accounts whose repositories are kept whole. */
export type Circle = {
  /** uids above `after`, ascending. */
  next(after: number, limit: number): number[]
  /** Counts the known accounts outside the circle. */
  others(): number
}

/** Members and the accounts they follow. */
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
  const gap = streamGaps(db).find((streamGap) => streamGap.id === id)
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
  if (others > 0)
    notes.push(`the activity of ${others} other known accounts and of strangers is unknown`)
  return notes.join('; ') || undefined
}
