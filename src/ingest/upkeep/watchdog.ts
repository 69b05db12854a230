// Logs when work on the ingest thread has waited for a minute without progress, and ends the thread if that
// goes on: the process is restarted and resumes after its last transaction. Seconds are counted in ticks, so
// that neither a sleeping machine nor a busy thread counts. Waiting for work, for disk space, or for a slow
// disk that makes progress is no standstill.

import type { Logger } from '../../base/obs/log.ts'
import type { Stall } from '../../bridge/messages.ts'
import type { WriteRetry } from '../../data/store/write-retry.ts'

export type Watchdog = {
  /** Watches `work` until it settles. */
  over<T>(what: string, work: Promise<T>): Promise<T>
  /** Waits reported as standing still, longest first. */
  stalls(): Stall[]
  stop(): void
}

/** In seconds. No work that makes progress takes the longer times. Each wait is reported once. */
const TELL = { withoutProgress: 60, inAll: 600 }
const END = { withoutProgress: 180, inAll: 900 }
const TICK_MS = 1_000

type Wait = {
  what: string
  /** Since the last sign of progress, and in all. */
  withoutProgress: number
  inAll: number
  isReported: boolean
}

export class StandstillError extends Error {
  override name = 'StandstillError'
}

export function createWatchdog(parts: {
  log: Pick<Logger, 'error' | 'info'>
  /** A full disk is reported elsewhere. */
  diskSpace: Pick<WriteRetry, 'isFull'>
  /** A value that changes as long as the awaited work makes progress. */
  progress: () => string
  end?: (error: StandstillError) => void
}): Watchdog {
  const { log, diskSpace, progress, end = endThread } = parts
  const waits = new Set<Wait>()
  let reached = ''
  const timer = setInterval(tick, TICK_MS)
  timer.unref()

  function tick(): void {
    if (waits.size === 0 || diskSpace.isFull()) return
    const now = progress()
    for (const wait of waits) {
      wait.inAll++
      wait.withoutProgress = now === reached ? wait.withoutProgress + 1 : 0
      judge(wait)
    }
    reached = now
  }

  function judge(wait: Wait): void {
    const { what, inAll, withoutProgress } = wait
    if (isOver(wait, END)) {
      const text = `${what} has stood still for ${inAll} s: it cannot recover, so the process ends to be restarted`
      return end(new StandstillError(text))
    }
    if (wait.isReported || !isOver(wait, TELL)) return
    wait.isReported = true
    const endsIn = Math.min(END.withoutProgress - withoutProgress, END.inAll - inAll)
    log.error({ what, seconds: inAll, endsIn }, `standing still: ${what}`)
  }

  function finish(wait: Wait): void {
    waits.delete(wait)
    if (wait.isReported) log.info({ what: wait.what, seconds: wait.inAll }, 'making progress again')
  }

  return {
    async over(what, work) {
      const wait = { what, withoutProgress: 0, inAll: 0, isReported: false }
      waits.add(wait)
      try {
        return await work
      } finally {
        finish(wait)
      }
    },
    stalls: () =>
      [...waits]
        .filter(({ isReported }) => isReported)
        .map(({ what, inAll }) => ({ what, seconds: inAll }))
        .sort((a, b) => b.seconds - a.seconds),
    stop: () => clearInterval(timer),
  }
}

function isOver(wait: Wait, limit: { withoutProgress: number; inAll: number }): boolean {
  return wait.withoutProgress >= limit.withoutProgress || wait.inAll >= limit.inAll
}

/** An error thrown from a timer ends the thread, and so the process. */
function endThread(error: StandstillError): never {
  throw error
}
