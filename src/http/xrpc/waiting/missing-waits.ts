// Records and unknown accounts that an answer needs and the rows lack, in any method and any embed. They are
// requested when the answer is made (fetch-requests.ts); then the request waits briefly, and makes the answer again.
// All who see such a record wait until its first fetch is over, and then not again for a while: it may not exist.

import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { LruMap } from '../../../base/util/lru.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { UnderWay } from '../../../data/store/read/under-way.ts'
import { PAGE_MAX_WAIT_MS } from '../strangers/strangers-pages.ts'
import type { FetchRequests } from './fetch-requests.ts'
import { createWaits } from './waits.ts'
import { whenRequested } from './when-requested.ts'

/** At-URIs and DIDs. */
type Things = { uris: readonly string[]; dids: readonly string[] }

export type MissingWaits = {
  /** Those of the missing things for which no request has waited recently. */
  fresh(missing: { uris: ReadonlySet<string>; dids: ReadonlySet<string> }): Things
  /**
   * Waits until their first fetches are over or time is up.
   * @param request - `requested` resolves once they are requested; `isAll`: nothing else can be shown
   * @returns whether it waited
   */
  awaited(
    things: Things,
    request: { requested: Promise<void>; signal: AbortSignal; isAll: boolean },
  ): Promise<boolean>
  /** Whether any of these records may still arrive, even after failures. */
  areUnfetched(uris: ReadonlySet<string>): boolean
}

const MAX_REMEMBERED = 50_000
const AWAITED_AGAIN_AFTER_MS = 10 * MINUTE_MS
/** For an answer that lacks only parts. */
const PARTS_MAX_WAIT_MS = 1_500

export function createMissingWaits(parts: {
  actors: Pick<ActorReader, 'uidOf'>
  underWay: Pick<UnderWay, 'accounts' | 'areUnfetched' | 'records'>
  fetchRequests: Pick<FetchRequests, 'wasSent'>
  now?: () => number
}): MissingWaits {
  const { actors, underWay, fetchRequests, now = Date.now } = parts
  const waits = createWaits({ now })
  const settledAt = new LruMap<string, number>(MAX_REMEMBERED)
  const isFresh = (thing: string) =>
    now() - (settledAt.get(thing) ?? -Infinity) >= AWAITED_AGAIN_AFTER_MS

  function isAnyUnderWay({ uris, dids }: Things): boolean {
    const uids = dids.map((did) => actors.uidOf(did)).filter((uid) => uid !== 0)
    return (uids.length > 0 && underWay.accounts(uids)) || underWay.records(keysOf(uris))
  }

  return {
    fresh: ({ uris, dids }) => ({
      uris: [...uris].filter(isFresh),
      dids: [...dids].filter((did) => actors.uidOf(did) === 0 && isFresh(did)),
    }),
    async awaited(things, { requested, signal, isAll }) {
      const names = [...things.uris, ...things.dids]
      const hasWaited = await waits.awaited(names, {
        isThere: whenRequested(requested, () => isAnyUnderWay(things)),
        maxWaitMs: isAll ? PAGE_MAX_WAIT_MS : PARTS_MAX_WAIT_MS,
        isShared: true,
        signal,
      })
      if (!hasWaited || signal.aborted) return hasWaited
      for (const name of names) if (fetchRequests.wasSent(name)) settledAt.set(name, now())
      return hasWaited
    },
    areUnfetched: (uris) => uris.size > 0 && underWay.areUnfetched(keysOf(uris)),
  }
}

function keysOf(uris: Iterable<string>) {
  return [...uris].map(parseRecordUri).filter((key) => key !== undefined)
}
