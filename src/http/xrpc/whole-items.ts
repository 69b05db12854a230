// What a newcomer's page must not tell as facts because it was not fetched yet: clients write “Deleted” for an
// embedded post that is not here, and “Invalid Handle” for a name that nobody looked up. It is asked for (wanted.ts)
// and waited for before the page is made; what is being fetched still is left out with the item that needs it,
// and is on the next page of the same stretch. What can't be had now is shown as it is.

import type { Viewer } from '../../answers/hydrate/types.ts'
import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { UnderWay } from '../../data/store/read/under-way.ts'
import type { FetchRequests } from './fetch-requests.ts'
import { waitLeftMs } from './wait-left.ts'
import { createWaits } from './waits.ts'
import { whenAsked } from './when-asked.ts'

type Parts = {
  actors: Pick<ActorReader, 'uidOf'>
  underWay: UnderWay
  fetchRequests: FetchRequests
}
type Lacking = { dids: ReadonlySet<string>; uris: ReadonlySet<string> }

type Request = {
  viewer: Viewer
  signal: AbortSignal
  /** Since the request first waited for anything. */
  maxWaitMs?: number
  /** Also for what was waited for lately. */
  isShared?: boolean
}

export type WholeItems = {
  /** Waits for what the views lack that `make` makes, for what is left of the request's wait. */
  awaited(make: () => unknown, request: Request): Promise<void>
  /** Of these items those that need nothing that is being fetched. */
  among<T>(items: readonly T[], make: (items: readonly T[]) => unknown): readonly T[]
}

/** With the wait for posts, still less than a PDS waits. */
const MAX_WAIT_MS = 8_500
const SHORTEST_MS = 500
/** As long as a cold start counts on it. */
const TRIES = 3

export function createWholeItems(parts: Parts): WholeItems {
  const { actors, underWay, fetchRequests } = parts
  const waits = createWaits()

  function isUnderWay({ dids, uris }: Lacking): boolean {
    const uids = [...dids].map((did) => actors.uidOf(did)).filter((uid) => uid !== 0)
    if (underWay.accounts(underWay.neverLookedUp(uids), TRIES)) return true
    return underWay.records(keysOf(uris), TRIES)
  }

  return {
    async awaited(make, { viewer, signal, maxWaitMs = MAX_WAIT_MS, isShared = false }) {
      const lacking = fetchRequests.watching(make)
      const things = { dids: [...lacking.dids], uris: [...lacking.uris] }
      if (things.dids.length + things.uris.length === 0) return
      const asked = fetchRequests.ask(viewer, things)
      const leftMs = waitLeftMs(signal, maxWaitMs, Date.now())
      if (leftMs < SHORTEST_MS) return
      await waits.awaited([...things.dids, ...things.uris], {
        isThere: whenAsked(asked, () => isUnderWay(lacking)),
        maxWaitMs,
        signal,
        isShared,
      })
    },
    among(items, make) {
      if (isEmpty(fetchRequests.watching(() => make(items)))) return items
      return items.filter((item) => {
        const lacking = fetchRequests.watching(() => make([item]))
        return isEmpty(lacking) || !isUnderWay(lacking)
      })
    },
  }
}

function isEmpty({ dids, uris }: Lacking): boolean {
  return dids.size + uris.size === 0
}

function keysOf(uris: ReadonlySet<string>) {
  return [...uris].map(parseRecordUri).filter((key) => key !== undefined)
}
