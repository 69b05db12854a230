// Waiting for what was just asked for in the background (fetch-requests.ts): a short while, since whoever asks
// is looking at a screen, and once for each thing, since what did not come then may never come; no longer
// than anybody is still being asked for it, and for all that one request waits for together no longer than
// for one of them (wait-left.ts). Where all of it comes from one place, and that place is out of reach,
// waiting stops after a few times in vain.

import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { createThingGate } from '../../base/util/gate.ts'
import { waitLeftMs } from './wait-left.ts'

type Waits = {
  /**
   * Waits until everything is there or time is up.
   * @param things - their names; nothing is waited for that was waited for lately
   * @returns whether it waited
   */
  awaited(things: readonly string[], request: Request): Promise<boolean>
}

type Request = {
  isThere: () => boolean
  /** Whether nothing more will come. */
  isOver?: () => boolean
  signal: AbortSignal
  /** Also where somebody waits for it, or did so lately: what is over is not waited for anyway. */
  isShared?: boolean
  /** How long at most. */
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
  /** So many waits in a row that nothing came of; then nobody waits for half a minute. */
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
      const isDone = () => isThere() || isOver()
      waiting++
      try {
        while (!isDone() && now() < giveUpAt && !signal.aborted) await sleep(LOOK_EVERY_MS)
        // That there is no such thing is an answer, too.
        if (!signal.aborted) learn(isDone())
        return true
      } finally {
        waiting--
      }
    },
  }
}
