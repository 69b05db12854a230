// Keeps the database's log short without the writer waiting for the disk: a thread of its own copies it, pass after
// pass, while batches go on being applied. When little is left the writer copies that itself, and with its next
// write the log starts anew, which it can't while anything of it is missing in the file.

import { Worker } from 'node:worker_threads'
import type { Logger } from '../../base/obs/log.ts'
import { copyLogIfThereIsRoom, limitLog, logState, pagesOf } from '../../data/store/checkpoint.ts'
import type { Db } from '../../data/store/db.ts'
import type { Watchdog } from './watchdog.ts'

type CheckpointLimits = {
  /** From so many pages on the log is copied. */
  startPages: number
  /** So many at most are copied by the writer. */
  tailPages: number
  /** From so many on the writer waits for the thread. */
  maxPages: number
}

const defaults: CheckpointLimits = { startPages: 16_384, tailPages: 4_096, maxPages: 65_536 }

/** Of the limits, for the smallest databases. */
const LEAST_SHARE = 1 / 8

export type Checkpoints = {
  /** To be called between two transactions, often. What it returns has to be waited for. */
  tend(): Promise<void> | undefined
  stop(): Promise<void>
}

/** The same, where somebody notices if it never ends. */
export function watchedCheckpoints(
  options: Parameters<typeof keepCheckpointed>[0],
  watchdog: Pick<Watchdog, 'over'>,
): Checkpoints {
  const checkpoints = keepCheckpointed(options)
  return {
    tend() {
      const wait = checkpoints.tend()
      return wait && watchdog.over('writing, which waits for the database’s log to be copied', wait)
    },
    stop: () => checkpoints.stop(),
  }
}

/** No more of them than the database has pages. */
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
 * Where the thread can't keep up the log grows up to a limit, and then everybody who writes waits for one and the
 * same pass. Where readers hold on to old states it grows on, for nobody can help that. All limits are lower while
 * the database is small: copying is cheap then, and a log ten times the database is what nobody expects.
 */
export function keepCheckpointed(options: {
  db: Db
  dataDir: string
  log: Pick<Logger, 'warn'>
  limits?: CheckpointLimits
}): Checkpoints {
  const { db, dataDir, log, limits: most = defaults } = options
  const worker = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
    workerData: { dataDir },
  })
  let isThere = true
  let copying: PromiseWithResolvers<void> | undefined
  /** What everybody waits for who finds the log at its limit. */
  let emptying: Promise<void> | undefined
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      isThere = false
      endCopying()
      resolve()
    })
  })
  worker.on('message', endCopying)
  worker.on('error', (error) => log.warn({ error: error.message }, 'the checkpoint thread ended'))
  // For writes that nobody tends after.
  limitLog(db, 2 * most.maxPages)

  function endCopying(): void {
    copying?.resolve()
    copying = undefined
  }

  function tend(): Promise<void> | undefined {
    if (emptying) return emptying
    const { length, copied } = logState(db)
    if (length < most.startPages * LEAST_SHARE) return undefined
    const limits = limitsFor(pagesOf(db), most)
    if (copying && length >= limits.maxPages) return startEmptying()
    if (copying || length < limits.startPages || length === copied) return undefined
    if (length - copied <= limits.tailPages || !isThere) copyLogIfThereIsRoom(db)
    else void startPass()
    return undefined
  }

  /** One more pass after this one, with nothing new meanwhile, so that it is the last. */
  function startEmptying(): Promise<void> {
    emptying = startPass()
      .then(startPass)
      .finally(() => {
        emptying = undefined
      })
    return emptying
  }

  /** The pass that is under way, or else a new one. */
  function startPass(): Promise<void> {
    if (copying || !isThere) return copying?.promise ?? Promise.resolve()
    copying = Promise.withResolvers()
    worker.postMessage('copy')
    return copying.promise
  }

  return {
    tend,
    stop: async () => {
      if (isThere) worker.postMessage('stop')
      await exited
    },
  }
}
