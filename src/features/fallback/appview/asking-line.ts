// The state of the public AppView's askers of one rank. Members and visitors have one each, so that no
// visitor's flood delays a member's question, pauses all questions by failing on purpose, disables a method,
// or pushes members' answers out of the cache.

import { createLimiter, type Limiter } from '../../../base/util/limiter.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../../../sources/circuit-breaker.ts'
import { FetchError } from '../../../sources/identity/fetch-error.ts'
import { type AnswerCache, createAnswerCache } from './answer-cache.ts'

export type AskingLine = {
  cache: AnswerCache
  breaker: CircuitBreaker
  limiter: Limiter
  /** By question. */
  underWay: Map<string, Promise<Buffer | null>>
  /** By method. */
  refusedUntil: Map<string, number>
}

type Sizes = { maxBytes: number; running: number; runningEach: number; waiting: number }

const SIZES: Record<'member' | 'visitor', Sizes> = {
  member: { maxBytes: 12 << 20, running: 9, runningEach: 6, waiting: 36 },
  visitor: { maxBytes: 4 << 20, running: 3, runningEach: 2, waiting: 12 },
}

export function createAskingLine(rank: keyof typeof SIZES, now: () => number): AskingLine {
  const { maxBytes, running, runningEach, waiting } = SIZES[rank]
  return {
    cache: createAnswerCache(maxBytes, now),
    breaker: createCircuitBreaker(now),
    limiter: createLimiter({
      maxRunning: running,
      maxRunningEach: runningEach,
      maxWaiting: waiting,
      full: () => new FetchError('busy', 'too many questions to the public AppView at once'),
    }),
    underWay: new Map(),
    refusedUntil: new Map(),
  }
}
