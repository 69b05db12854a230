// Accounts without a verified name, on any page: an account known only from the stream is looked up when a
// member first sees it (fetch-requests.ts). The page waits briefly for that, once per account, and is then
// rebuilt. An account not resolved by then is shown without a name, never with a merely claimed one.

import { MINUTE_MS } from '../../../base/util/durations.ts'
import { createThingGate } from '../../../base/util/gate.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { UnderWay } from '../../../data/store/read/under-way.ts'
import { createWaits } from './waits.ts'
import { whenRequested } from './when-requested.ts'

export type NameWaits = {
  /**
   * Returns the uids of accounts that were never looked up; each account at most once per interval.
   */
  unnamed(dids: Iterable<string>): number[]
  /**
   * Waits until they are looked up or time is up.
   * @param requested - resolves once the look-ups are requested
   * @returns whether any name has arrived
   */
  awaited(
    uids: readonly number[],
    request: { requested: Promise<void>; signal: AbortSignal },
  ): Promise<boolean>
}

const MAX_REMEMBERED = 50_000
const LOOKED_AGAIN_AFTER_MS = 10 * MINUTE_MS
/** After this many waits without a result, the directory or DNS counts as unreachable. */
const MAX_IN_VAIN = 4

/** @param parts - `maxWaitMs` 0: never waits */
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

    async awaited(uids, { requested, signal }) {
      const names = uids.map((uid) => actors.didOf(uid))
      await waits.awaited(names, {
        isThere: () => underWay.neverLookedUp(uids).length === 0,
        isOver: whenRequested(requested, () => underWay.accounts(uids)),
        maxWaitMs,
        signal,
      })
      return underWay.neverLookedUp(uids).length < uids.length
    },
  }
}
