// How long a request waits for the engine, and what is said when it is away: reading goes on with what this node has,
// and the log hears of it now and then.

import { unavailable } from '../../base/atproto/xrpc-error.ts'
import type { Logger } from '../../base/obs/log.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { createGate } from '../../base/util/gate.ts'
import { within } from '../../base/util/waits.ts'
import { EngineUnavailableError } from '../../data/engine/connect.ts'

type EngineWaits = {
  /** Never rejects. @returns whether the work was done in time; it may be done later */
  inTime(work: () => Promise<void>): Promise<boolean>
  /** Something could not be asked of the engine, or is not known to have been done. */
  fellBehind(error: unknown): void
  isAway(): boolean
  /** How often `inTime` said no. */
  fallbacks(): number
}

type Parts = {
  /** @throws EngineUnavailableError */
  place: () => Promise<unknown>
  log: Pick<Logger, 'warn' | 'error'>
  /** What is said when it is away, and of what is no absence. */
  away: string
  failed: string
  now?: () => number
  /** For how long a request is kept waiting. */
  waitedForMs?: number
}

const WAITED_FOR_MS = 200
/** Until it was reached or not for the first time: who asks right after a start is not to be told what was. */
const FIRST_WAITED_FOR_MS = 5_000
/** After it was away it is not waited for by every request. */
const LEFT_ALONE_MS = 1_000
const TOLD_EVERY_MS = MINUTE_MS

export function createEngineWaits(parts: Parts): EngineWaits {
  const { log, now = Date.now, waitedForMs = WAITED_FOR_MS } = parts
  const mayTell = createGate(TOLD_EVERY_MS, now)
  let awayUntil = 0
  let fallbacks = 0
  let wasTried = false
  const tried = () => {
    wasTried = true
  }
  void parts.place().then(tried, tried)

  function fellBehind(error: unknown): void {
    awayUntil = now() + LEFT_ALONE_MS
    if (!(error instanceof EngineUnavailableError)) log.error({ err: error }, parts.failed)
    else if (mayTell()) log.warn({ reason: error.message }, parts.away)
  }

  const isAway = () => now() < awayUntil

  async function done(work: () => Promise<void>): Promise<boolean> {
    if (isAway()) return false
    const ms = wasTried ? waitedForMs : Math.max(waitedForMs, FIRST_WAITED_FOR_MS)
    try {
      const isDone = await within(
        ms,
        work().then(() => true),
      )
      if (isDone) return true
      throw new EngineUnavailableError(`it did not answer within ${ms} ms`)
    } catch (error) {
      fellBehind(error)
      return false
    }
  }

  return {
    async inTime(work) {
      const isDone = await done(work)
      if (!isDone) fallbacks++
      return isDone
    },
    fellBehind,
    isAway,
    fallbacks: () => fallbacks,
  }
}

/** Says to whoever asked that the engine is away; every other error is thrown as it is. */
export function engineRefusal(message: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof EngineUnavailableError)) throw error
    throw unavailable(message, { error: 'EngineUnavailable', cause: error })
  }
}
