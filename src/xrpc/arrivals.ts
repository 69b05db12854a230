// Waiting for what was just asked for in the background (wanted.ts): a short while, since whoever asks
// is looking at a screen, and once for each thing, since what did not come then may never come.

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

export function createArrivals({ now = Date.now }: { now?: () => number } = {}): Arrivals {
  const waitedFor = new LruMap<string, number>(MAX_REMEMBERED)
  let waiting = 0

  function isNew(thing: string): boolean {
    if (now() - (waitedFor.get(thing) ?? -Infinity) < WAITED_AGAIN_AFTER_MS) return false
    waitedFor.set(thing, now())
    return true
  }

  return {
    async awaited(things, { isThere, signal, patienceMs = PATIENCE_MS }) {
      if (waiting >= MAX_WAITING || things.filter(isNew).length === 0) return
      const giveUpAt = now() + patienceMs
      waiting++
      try {
        while (!isThere() && now() < giveUpAt && !signal.aborted) await sleep(LOOK_EVERY_MS)
      } finally {
        waiting--
      }
    },
  }
}
