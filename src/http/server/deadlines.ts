// Deadlines of handlers. One clock watches all running handlers, since a timer per call would cost more than
// many handlers do.

import { unavailable } from '../../base/atproto/xrpc-error.ts'

type Deadlines = {
  /** Returns the outcome of `work`, or a 503 error at most a tick after its deadline. */
  inTime<T>(work: Promise<T>): Promise<T>
}

type Running = { endsAtMs: number; giveUp: (error: Error) => void }

const MAX_TICK_MS = 1_000
const TICKS = 8

export function createDeadlines(timeoutMs: number): Deadlines {
  const tickMs = Math.min(timeoutMs / TICKS, MAX_TICK_MS)
  // Ordered by deadline, since all have the same timeout.
  const running = new Set<Running>()
  let clock: NodeJS.Timeout | undefined

  function look(): void {
    const now = performance.now()
    for (const item of running) {
      if (item.endsAtMs > now) break
      running.delete(item)
      item.giveUp(unavailable('the answer took too long'))
    }
    if (running.size > 0) return
    clearInterval(clock)
    clock = undefined
  }

  return {
    inTime(work) {
      clock ??= setInterval(look, tickMs).unref()
      return new Promise((resolve, reject) => {
        const item: Running = { endsAtMs: performance.now() + timeoutMs, giveUp: reject }
        running.add(item)
        work.then(
          (result) => {
            running.delete(item)
            resolve(result)
          },
          (error) => {
            running.delete(item)
            reject(error)
          },
        )
      })
    },
  }
}
