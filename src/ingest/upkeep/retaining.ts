// Removes data that is no longer needed and data older than its retention time: a slice at a time between the
// stream's batches, in transactions of some milliseconds, leaving at least as much time for other work as
// each took.

import type { Logger } from '../../base/obs/log.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import type { Db } from '../../data/store/db.ts'
import { nextGcCandidate } from '../../data/store/removal/gc-candidates.ts'
import { ageNotifications } from '../indexing/retention/age-notifications.ts'
import { type Pruned, type PruneLimits, pruneSlice } from '../indexing/retention/prune-old.ts'
import { sweepCandidates } from '../indexing/retention/sweep-candidates.ts'
import type { Writer } from '../indexing/writer.ts'
import type { DiskGuard } from './disk/disk-guard.ts'
import { createPruningPasses } from './pruning-passes.ts'
import { type SliceContext, workInSlices } from './slices.ts'

/** Limits of one transaction, whichever is reached first. */
export const GC_CANDIDATES_AT_ONCE = 200
export const SLICE_MS = 5
const IDLE_MS = 1_000
const PAUSE_MS = 5
const AGE_EVERY_MS = MINUTE_MS
/** Rest after a slice, as a multiple of its duration. */
const REST = { calm: 2, tight: 1 }

type Dependencies = SliceContext & {
  db: Db
  writer: Writer
  guard: Pick<DiskGuard, 'retention' | 'passDone' | 'isTight'>
  onPruned: (pruned: Pruned) => void
  now: () => number
  log: Pick<Logger, 'info'>
}

export function startRetaining(options: Dependencies): { stop(): void } {
  const { db, writer, guard, now, log } = options
  /** Time, by our clock, until which no notification is too old. */
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
    checkpoint: options.checkpoint,
    diskSpace: options.diskSpace,
    shortestMs: PAUSE_MS,
    idleMs: IDLE_MS,
    restTimes: () => REST[guard.isTight() ? 'tight' : 'calm'],
    slice: () => (nextGcCandidate(db) ? settle() : passes.next() || age()),
  })
}

/** Returns a function that says whether `ms` have passed since this call. */
export function timeIsUp(ms: number): () => boolean {
  const end = performance.now() + ms
  return () => performance.now() >= end
}
