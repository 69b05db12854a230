// Keeps the database's log short without making the writer wait for the disk: a separate thread copies it,
// pass after pass, while batches are applied. When little is left the writer copies the rest itself, and its
// next write restarts the log, which is only possible once all of it is in the file
// (docs/notes/2026-11-21-the-checkpoint-has-its-own-thread.md).

import type { Logger } from '../../../base/obs/log.ts'
import type { Db } from '../../../data/store/db.ts'
import {
  copyLogIfThereIsSpace,
  limitLog,
  logState,
  pagesOf,
} from '../../../data/store/files/checkpoint.ts'
import type { Watchdog } from '../watchdog.ts'
import { createCheckpointWorker } from './checkpoint-worker.ts'

type CheckpointLimits = {
  /** Length from which the log is copied. */
  startPages: number
  /** Most pages that the writer copies itself. */
  tailPages: number
  /** Length from which the writer waits for the thread. */
  maxPages: number
}

const defaults: CheckpointLimits = { startPages: 16_384, tailPages: 4_096, maxPages: 65_536 }

/** Share of the limits that applies to the smallest databases. */
const LEAST_SHARE = 1 / 8

export type Checkpoints = {
  /** Call often, between transactions. The returned promise must be awaited. */
  tend(): Promise<void> | undefined
  stop(): Promise<void>
}

/** The same, with a watchdog over its waits. */
export function watchedCheckpoints(
  options: Parameters<typeof startCheckpoints>[0],
  watchdog: Pick<Watchdog, 'over'>,
): Checkpoints {
  const checkpoints = startCheckpoints(options)
  return {
    tend() {
      const wait = checkpoints.tend()
      return wait && watchdog.over('writing, which waits for the database’s log to be copied', wait)
    },
    stop: () => checkpoints.stop(),
  }
}

/** Scales the limits down for databases smaller than `startPages`. */
function limitsFor(pages: number, most: CheckpointLimits): CheckpointLimits {
  const share = Math.min(1, Math.max(LEAST_SHARE, pages / most.startPages))
  const { startPages, tailPages, maxPages } = most
  return {
    startPages: startPages * share,
    tailPages: tailPages * share,
    maxPages: maxPages * share,
  }
}

/**
 * If the thread can't keep up, the log grows up to a limit; then all writers wait for the same
 * pass. If readers hold old states it keeps growing, which can't be helped. All limits are lower
 * while the database is small: copying is cheap then, and a log ten times the size of the database
 * would be a surprise.
 */
export function startCheckpoints(options: {
  db: Db
  log: Pick<Logger, 'warn'>
  limits?: CheckpointLimits
  /** Time without a pass after which the thread ends. */
  idleMs?: number
}): Checkpoints {
  const { db, limits: most = defaults } = options
  const worker = createCheckpointWorker(options)
  let copying: Promise<void> | undefined
  /** The pass that all writers wait for once the log is at its limit. */
  let emptying: Promise<void> | undefined
  // For writes without a call of `tend`.
  limitLog(db, 2 * most.maxPages)

  function tend(): Promise<void> | undefined {
    if (emptying) return emptying
    const { length, copied } = logState(db)
    if (length < most.startPages * LEAST_SHARE) return undefined
    const limits = limitsFor(pagesOf(db), most)
    if (copying && length >= limits.maxPages) return startEmptying()
    if (copying || length < limits.startPages || length === copied) return undefined
    if (length - copied <= limits.tailPages || worker.isBroken()) copyLogIfThereIsSpace(db)
    else void startPass()
    return undefined
  }

  /** One more pass after the current one; nothing is written meanwhile, so it is the last. */
  function startEmptying(): Promise<void> {
    emptying = startPass()
      .then(startPass)
      .finally(() => {
        emptying = undefined
      })
    return emptying
  }

  /** The current pass, or else a new one. */
  function startPass(): Promise<void> {
    copying ??= worker.copy().finally(() => {
      copying = undefined
    })
    return copying
  }

  return { tend, stop: () => worker.stop() }
}
