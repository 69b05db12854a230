// Limits how long requests wait for the engine. While it is away, reads continue with this node's data, and
// the log mentions it now and then.

import { unavailable } from '../../../base/atproto/xrpc-error.ts'
import type { Logger } from '../../../base/obs/log.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { createGate } from '../../../base/util/gate.ts'
import { within } from '../../../base/util/waits.ts'
import { EngineUnavailableError } from '../engine/connect.ts'

type EngineWaits = {
  /**
   * Never rejects.
   * @returns whether the work finished in time; it may finish later
   */
  inTime(work: () => Promise<void>): Promise<boolean>
  /** Reports work that the engine failed or may not have done. */
  fellBehind(error: unknown): void
  isAway(): boolean
  /** How often `inTime` returned false. */
  fallbacks(): number
}

type Dependencies = {
  /** @throws EngineUnavailableError */
  cluster: () => Promise<unknown>
  log: Pick<Logger, 'warn' | 'error'>
  /** Log messages for an unavailable engine, and for all other errors. */
  away: string
  failed: string
  now?: () => number
  /** How long a request waits. */
  waitedForMs?: number
}

const WAITED_FOR_MS = 200
/**
 * Applies until the first attempt to reach the engine has ended, so that requests just after a
 * start do not get stale data.
 */
const FIRST_WAITED_FOR_MS = 5_000
/** After a failure, requests do not wait for the engine for this long. */
const LEFT_ALONE_MS = 1_000
const REPORTED_EVERY_MS = MINUTE_MS

export function createEngineWaits(parts: Dependencies): EngineWaits {
  const { log, now = Date.now, waitedForMs = WAITED_FOR_MS } = parts
  const mayTell = createGate(REPORTED_EVERY_MS, now)
  let awayUntil = 0
  let fallbacks = 0
  let wasTried = false
  const tried = () => {
    wasTried = true
  }
  void parts.cluster().then(tried, tried)

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

/** For the operator. */
const HINT = '`slipstream doctor --only engine` looks at them.'

/** Maps an unavailable engine to an error for the client; rethrows all other errors. */
export function engineRefusal(message: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof EngineUnavailableError)) throw error
    throw unavailable(message, { error: 'EngineUnavailable', cause: error, hint: HINT })
  }
}
