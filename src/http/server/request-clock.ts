// Measures one request step by step: each mark ends a step, so that the steps add up to the total. The
// thread's stopwatch splits the handler's time further, for its synchronous part.

import { spent } from '../../base/util/turn.ts'

/**
 * `wait` fetches data before the handler, `finish` builds bytes and headers, `write` hands them to
 * the system.
 */
type Step = 'token' | 'wait' | 'queue' | 'handler' | 'finish' | 'write'

let turnBeganAt: number | undefined

export class RequestClock {
  readonly startedAt = performance.now()
  /** How long the event loop had been busy with other work when the request was read. */
  readonly lateMs = this.startedAt - turnOfLoop(this.startedAt)
  token = 0
  wait = 0
  queue = 0
  handler = 0
  finish = 0
  write = 0
  /** Part of `handler`, as is `rows`. */
  skeleton = 0
  rows = 0
  endedAt = this.startedAt

  mark(step: Step): void {
    const now = performance.now()
    this[step] += now - this.endedAt
    this.endedAt = now
  }

  /** Runs a handler. */
  handled<T>(run: () => T): T {
    this.mark('queue')
    const { skeleton, rows } = spent
    try {
      return run()
    } finally {
      this.skeleton = spent.skeleton - skeleton
      this.rows = spent.rows - rows
    }
  }
}

function turnOfLoop(now: number): number {
  if (turnBeganAt === undefined) {
    turnBeganAt = now
    setImmediate(() => {
      turnBeganAt = undefined
    })
  }
  return turnBeganAt
}
