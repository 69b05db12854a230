// Takes away what is needed by nobody any more, and what is older than it is to be kept: a slice at a time
// between the batches of the stream, in transactions of some milliseconds, with at least as much time for
// others as it took.

import type { Logger } from '../../base/obs/log.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import type { Db } from '../../data/store/db.ts'
import { nextGcCandidate } from '../../data/store/gc-candidates.ts'
import { ageNotifications } from '../indexing/retention/age-notifications.ts'
import { type Pruned, type PruneLimits, pruneSlice } from '../indexing/retention/prune-old.ts'
import { sweepCandidates } from '../indexing/retention/sweep-candidates.ts'
import type { Writer } from '../indexing/writer.ts'
import type { DiskGuard } from './disk/disk-guard.ts'
import { createPruningPasses } from './pruning-passes.ts'
import { type SliceParts, workInSlices } from './slices.ts'

/** Of a transaction, whichever comes first. */
export const GC_CANDIDATES_AT_ONCE = 200
export const SLICE_MS = 5
const IDLE_MS = 1_000
const PAUSE_MS = 5
const AGE_EVERY_MS = MINUTE_MS
/** So many times as long as a slice took, nothing is done after it. */
const REST = { calm: 2, tight: 1 }

type Parts = SliceParts & {
  db: Db
  writer: Writer
  guard: Pick<DiskGuard, 'kept' | 'passDone' | 'isTight'>
  onPruned: (pruned: Pruned) => void
  now: () => number
  log: Pick<Logger, 'info'>
}

export function keepRetaining(options: Parts): { stop(): void } {
  const { db, writer, guard, now, log } = options
  /** Our clock, up to which no notification is too old. */
  let agedUntil = 0
  const passes = createPruningPasses({ guard, prune, now, log })

  function settle(): boolean {
    writer.commit((ctx) => void sweepCandidates(ctx, GC_CANDIDATES_AT_ONCE, timeIsUp(SLICE_MS)))
    return true
  }

  function age(): boolean {
    if (now() < agedUntil) return false
    const isLeft = writer.commit((ctx) => ageNotifications(ctx, timeIsUp(SLICE_MS)))
    if (!isLeft) agedUntil = now() + AGE_EVERY_MS
    return isLeft
  }

  function prune(limits: PruneLimits): Pruned {
    const pruned = writer.commit((ctx) => pruneSlice(ctx, limits, timeIsUp(SLICE_MS)))
    options.onPruned(pruned)
    return pruned
  }

  return workInSlices({
    ...{ checkpoint: options.checkpoint, room: options.room },
    ...{ shortestMs: PAUSE_MS, idleMs: IDLE_MS },
    restTimes: () => REST[guard.isTight() ? 'tight' : 'calm'],
    slice: () => (nextGcCandidate(db) ? settle() : passes.next() || age()),
  })
}

/** Whether so much time has gone since it was made. */
export function timeIsUp(ms: number): () => boolean {
  const end = performance.now() + ms
  return () => performance.now() >= end
}
