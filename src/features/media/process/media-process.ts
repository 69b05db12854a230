// The process that decodes pictures and cuts videos, as its callers see it. It starts with the first job,
// ends when idle for a while, and is restarted after a job for which it was killed: whatever a blob does to
// it, only that job is refused, and others just wait a little longer.

import type { Logger } from '../../../base/obs/log.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { MediaError } from '../media-error.ts'
import { type Child, type ChildLimits, type Death, type Outcome, startChild } from './child.ts'
import { createJobQueue, type Payers } from './job-queue.ts'
import type { Job } from './jobs.ts'
import { MEDIA_MEMORY_BYTES } from './memory-limit.ts'

export type MediaProcess = {
  /**
   * Resolves once the job's file is written.
   * @throws MediaError
   */
  run(job: Job, payers: Payers): Promise<void>
  counts(): MediaCounts
  /** Of the current process. */
  pid(): number | undefined
  close(): void
}

type MediaCounts = {
  /** Blobs that were no picture or video, or too large. */
  refused: number
  /** How often the process died during a job. */
  died: number
  /** Waiting and running jobs. */
  pending: number
}

type MediaProcessOptions = {
  log: Pick<Logger, 'debug' | 'error'>
  now?: () => number
  limits?: (Partial<ChildLimits> & { idleMs?: number }) | undefined
}

const LIMITS: ChildLimits = {
  memoryBytes: MEDIA_MEMORY_BYTES,
  cpuMs: 12_000,
  jobMs: MINUTE_MS,
  niceness: 10,
}
const IDLE_MS = 300_000
const MAX_WAITING = 512

type Waiting = { job: Job; settle: (outcome: Outcome) => void }

export function createMediaProcess(options: MediaProcessOptions): MediaProcess {
  const { log, now = Date.now } = options
  const limits = { ...LIMITS, ...options.limits }
  const queue = createJobQueue<Waiting>({ maxWaiting: MAX_WAITING, now })
  const counts: MediaCounts = { refused: 0, died: 0, pending: 0 }
  let child: Child | undefined
  let isWorking = false
  let isClosed = false
  let idle: NodeJS.Timeout | undefined

  async function work(): Promise<void> {
    if (isWorking) return
    isWorking = true
    clearTimeout(idle)
    for (let next = queue.take(); next && !isClosed; next = queue.take()) {
      const startedAt = now()
      if (!child || child.hasEnded) child = startChild(limits)
      const outcome = await child.perform(next.item.job)
      queue.charge(next.payers, now() - startedAt)
      next.item.settle(outcome)
    }
    isWorking = false
    idle = setTimeout(() => child?.kill(), limits.idleMs ?? IDLE_MS)
    idle.unref()
  }

  function errorFor(outcome: Outcome): MediaError | undefined {
    counts.pending -= 1
    if (outcome.kind === 'done') return undefined
    if (outcome.kind === 'failed') {
      log.error({ message: outcome.message }, 'the media process could not do a job')
      return new MediaError('busy', 'Busy', 'the server could not make it')
    }
    if (outcome.kind === 'refused') {
      counts.refused += 1
      return new MediaError('refused', outcome.refusal.error, outcome.refusal.message)
    }
    counts.died += 1
    const { why, detail } = outcome
    if (why === 'unstarted') log.error({ detail }, 'the media process does not start')
    else log.debug({ why, detail }, 'the media process ended during a job')
    return deaths[why]()
  }

  return {
    async run(job, payers) {
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      if (isClosed || !queue.add({ job, settle: resolve }, payers)) throw busy()
      counts.pending += 1
      void work()
      const error = errorFor(await promise)
      if (error) throw error
    },
    counts: () => ({ ...counts }),
    pid: () => (child?.hasEnded ? undefined : child?.pid),
    close() {
      isClosed = true
      clearTimeout(idle)
      child?.kill()
      for (let next = queue.take(); next; next = queue.take()) {
        next.item.settle({ kind: 'died', why: 'lost', detail: 'the server ends' })
      }
    },
  }
}

const deaths: Record<Death, () => MediaError> = {
  memory: () => new MediaError('refused', 'TooMuchMemory', 'it takes too much memory to decode'),
  time: () => new MediaError('refused', 'TooMuchTime', 'it takes too long to decode'),
  crash: () => new MediaError('refused', 'NotDecodable', 'it cannot be decoded'),
  lost: () => new MediaError('lost', 'Interrupted', 'the work on it was interrupted'),
  unstarted: () => busy(),
}

function busy(): MediaError {
  return new MediaError('busy', 'Busy', 'too many pictures and videos at once')
}
