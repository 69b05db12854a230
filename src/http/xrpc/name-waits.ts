// Accounts whose name nobody has verified yet, on any page: who is known only from the stream is looked up
// when a member first sees them (fetch-requests.ts), and the page waits for that a short moment, once for each
// account, and is then made again. What is not known by then is shown without a name, never with one that
// an account only claims to have.

import { MINUTE_MS } from '../../base/util/durations.ts'
import { createThingGate } from '../../base/util/gate.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { UnderWay } from '../../data/store/read/under-way.ts'
import { createWaits } from './waits.ts'
import { whenAsked } from './when-asked.ts'

type NameWaits = {
  /** Who of these was never looked up (uids); of each account it is asked once in a while. */
  unnamed(dids: Iterable<string>): number[]
  /**
   * Waits until they are looked up, or time is up.
   * @param asked - resolves once they are being asked for
   * @returns whether any name has come
   */
  awaited(
    uids: readonly number[],
    request: { asked: Promise<void>; signal: AbortSignal },
  ): Promise<boolean>
}

const MAX_REMEMBERED = 50_000
const LOOKED_AGAIN_AFTER_MS = 10 * MINUTE_MS
/** Directory or DNS are out of reach, then. */
const MAX_IN_VAIN = 4

/** @param parts - `maxWaitMs` 0: nobody ever waits */
export function createNameWaits(
  { actors, underWay }: { actors: Pick<ActorReader, 'uidOf' | 'didOf'>; underWay: UnderWay },
  { maxWaitMs, now = Date.now }: { maxWaitMs: number; now?: () => number },
): NameWaits {
  const waits = createWaits({ now, maxInVain: MAX_IN_VAIN })
  const looked = createThingGate(LOOKED_AGAIN_AFTER_MS, MAX_REMEMBERED, now)

  return {
    unnamed(dids) {
      if (maxWaitMs === 0) return []
      const uids = [...dids].filter(looked.mayAsk).map((did) => actors.uidOf(did))
      const known = uids.filter((uid) => uid !== 0)
      return known.length === 0 ? known : underWay.neverLookedUp(known)
    },

    async awaited(uids, { asked, signal }) {
      const names = uids.map((uid) => actors.didOf(uid))
      await waits.awaited(names, {
        isThere: () => underWay.neverLookedUp(uids).length === 0,
        isOver: whenAsked(asked, () => underWay.accounts(uids)),
        maxWaitMs,
        signal,
      })
      return underWay.neverLookedUp(uids).length < uids.length
    },
  }
}
