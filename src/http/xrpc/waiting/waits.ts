// Waits for things just requested in the background (fetch-requests.ts): briefly, since the caller is looking
// at a screen, and once for each thing, since a thing that did not arrive then may never do so. Stops when
// the fetch is over; all waits of one request together take no longer than one (wait-left.ts). Where
// everything comes from one server and that is out of reach, waiting stops after a few failures.

import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { createThingGate } from '../../../base/util/gate.ts'
import { inTurnOf, waitLeftMs } from '../../server/wait-left.ts'

type Waits = {
  /**
   * Waits until everything is there or time is up.
   * @param things - their names; does not wait if it has recently waited for all of them
   * @returns whether it waited
   */
  awaited(things: readonly string[], request: Request): Promise<boolean>
}

type Request = {
  isThere: () => boolean
  /** Whether nothing more will arrive. */
  isOver?: () => boolean
  signal: AbortSignal
  /**
   * Wait even if another request waits for it or recently did. If the fetch is over, the wait ends
   * at once.
   */
  isShared?: boolean
  /** Longest wait. */
  maxWaitMs?: number
}

const MAX_WAIT_MS = 1_500
const LOOK_EVERY_MS = 40
const MAX_WAITING = 64
const MAX_REMEMBERED = 20_000
const WAITED_AGAIN_AFTER_MS = 10 * MINUTE_MS
const NOT_WAITING_FOR_MS = 30_000

type Options = {
  now?: () => number
  /** Failed waits in a row after which no request waits for half a minute. */
  maxInVain?: number
}

export function createWaits({ now = Date.now, maxInVain = Infinity }: Options = {}): Waits {
  const waitedFor = createThingGate(WAITED_AGAIN_AFTER_MS, MAX_REMEMBERED, now)
  let waiting = 0
  let inVain = 0
  let lastInVain = -Infinity

  function isHopeless(): boolean {
    return inVain >= maxInVain && now() - lastInVain < NOT_WAITING_FOR_MS
  }

  function learn(hasCome: boolean): void {
    inVain = hasCome ? 0 : inVain + 1
    if (!hasCome) lastInVain = now()
  }

  return {
    async awaited(things, request) {
      const { isThere, isOver = () => false, signal, maxWaitMs = MAX_WAIT_MS } = request
      if (waiting >= MAX_WAITING || isHopeless()) return false
      if (!request.isShared && things.filter(waitedFor.mayAsk).length === 0) return false
      const giveUpAt = now() + waitLeftMs(signal, maxWaitMs, now())
      // Many may look at the same moment, so each does when its caller has a turn.
      const look = () => inTurnOf(signal, () => isThere() || isOver())
      waiting++
      try {
        let isDone = await look()
        while (!isDone && now() < giveUpAt && !signal.aborted) {
          await sleep(LOOK_EVERY_MS)
          isDone = await look()
        }
        // Learning that the thing does not exist is a success too.
        if (!signal.aborted) learn(await look())
        return true
      } finally {
        waiting--
      }
    },
  }
}
