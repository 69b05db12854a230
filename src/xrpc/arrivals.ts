// Waiting for what was just asked for in the background (wanted.ts): a short while, since whoever asks
// is looking at a screen, and once for each thing, since what did not come then may never come. Where all of
// it comes from one place, and that place is out of reach, waiting stops after a few times in vain.

import { setTimeout as sleep } from 'node:timers/promises'
import { LruMap } from '../identity/lru.ts'

export type Arrivals = {
  /**
   * Waits until everything is there or time is up.
   * @param things - their names; nothing is waited for that was waited for lately
   */
  awaited(things: readonly string[], request: Request): Promise<void>
}

type Request = {
  isThere: () => boolean
  signal: AbortSignal
  /** How long at most. */
  patienceMs?: number
}

const PATIENCE_MS = 1_500
const LOOK_EVERY_MS = 40
const MAX_WAITING = 64
const MAX_REMEMBERED = 20_000
const WAITED_AGAIN_AFTER_MS = 10 * 60 * 1000
const NOT_WAITING_FOR_MS = 30_000

type Options = {
  now?: () => number
  /** So many waits in a row that nothing came of; then nobody waits for half a minute. */
  maxInVain?: number
}

export function createArrivals({ now = Date.now, maxInVain = Infinity }: Options = {}): Arrivals {
  const waitedFor = new LruMap<string, number>(MAX_REMEMBERED)
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

  function isNew(thing: string): boolean {
    if (now() - (waitedFor.get(thing) ?? -Infinity) < WAITED_AGAIN_AFTER_MS) return false
    waitedFor.set(thing, now())
    return true
  }

  return {
    async awaited(things, { isThere, signal, patienceMs = PATIENCE_MS }) {
      if (waiting >= MAX_WAITING || isHopeless() || things.filter(isNew).length === 0) return
      const giveUpAt = now() + patienceMs
      waiting++
      try {
        while (!isThere() && now() < giveUpAt && !signal.aborted) await sleep(LOOK_EVERY_MS)
        if (!signal.aborted) learn(isThere())
      } finally {
        waiting--
      }
    },
  }
}
