// Where one request's time goes, step after step: each mark ends a step, so that the steps add up to the whole.
// What the handler spent it on is told by the thread's stopwatch, as far as it went on without waiting.

import { spent } from '../../base/obs/stopwatch.ts'

/** `wait` is for what is fetched first, `finish` makes bytes and headers, `write` hands them to the system. */
type Step = 'token' | 'wait' | 'queue' | 'handler' | 'finish' | 'write'

let turnBeganAt: number | undefined

export class RequestClock {
  readonly startedAt = performance.now()
  /** For how long the event loop had been busy with others when the request was read. */
  readonly lateMs = this.startedAt - turnOfLoop(this.startedAt)
  token = 0
  wait = 0
  queue = 0
  handler = 0
  finish = 0
  write = 0
  /** Of the handler. */
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
