// What a newcomer's page must not tell as facts because it was not fetched yet: clients write “Deleted” for an
// embedded post that is not here, “Invalid Handle” for a name that nobody could look up so far, and draw a blank
// face for a profile that is on its way. It is asked for (fetch-requests.ts) and waited for before the page is
// made; what is being fetched still is left out with the item that needs it, and is on the next page of the same
// stretch, or found by a refresh. What can't be had now is shown as it is.

import type { MissingSet } from '../../answers/hydrate/missing-set.ts'
import { createReader, type Reader } from '../../answers/hydrate/reader.ts'
import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { UnderWay } from '../../data/store/read/under-way.ts'
import type { FetchRequests } from './fetch-requests.ts'
import { REQUEST_MAX_WAIT_MS, waitLeftMs } from './wait-left.ts'
import { createWaits } from './waits.ts'
import { whenAsked } from './when-asked.ts'

type Parts = {
  actors: Pick<ActorReader, 'uidOf'>
  underWay: UnderWay
  fetchRequests: FetchRequests
}
type Things = Pick<MissingSet, 'dids' | 'uris'>

type Request = {
  reader: Reader
  signal: AbortSignal
  /** Since the request first waited for anything. */
  maxWaitMs?: number
  /** Also for what was waited for lately. */
  isShared?: boolean
  /** Counted from now. */
  patienceMs?: number
}

type WholeItems = {
  /**
   * Waits for what the views lack that `make` makes, for what is left of the time that the request waits.
   * @returns whether it waited
   */
  awaited(make: (reader: Reader) => unknown, request: Request): Promise<boolean>
  /** Of these items those that need nothing that is being fetched. */
  among<T>(
    items: readonly T[],
    reader: Reader,
    make: (items: readonly T[], reader: Reader) => unknown,
  ): readonly T[]
}

const SHORTEST_MS = 500
/** As long as a cold start counts on it. */
const TRIES = 3

export function createWholeItems(parts: Parts): WholeItems {
  const { actors, underWay, fetchRequests } = parts
  const waits = createWaits()

  function isUnderWay({ dids, uris }: Things): boolean {
    const uids = [...dids].map((did) => actors.uidOf(did)).filter((uid) => uid !== 0)
    if (underWay.accounts(underWay.neverLookedUp(uids), TRIES)) return true
    // That a look-up came to nothing says nothing of the name.
    if (underWay.lookedUpAgain(uids, TRIES)) return true
    return underWay.records(keysOf(uris), TRIES)
  }

  /** Waited for, but nothing is left out for it: without a face somebody has a name still. */
  function isFaceUnderWay({ dids }: Things): boolean {
    return underWay.profiles([...dids].map((did) => actors.uidOf(did)))
  }

  return {
    async awaited(make, request) {
      const { reader, signal, maxWaitMs = REQUEST_MAX_WAIT_MS, isShared = false } = request
      const missing = missingIn(reader, make)
      if (missing.isEmpty) return false
      const asked = fetchRequests.ask(reader.viewer, missing)
      const leftMs = waitLeftMs(signal, maxWaitMs, Date.now())
      if (leftMs < SHORTEST_MS) return false
      const { patienceMs = leftMs } = request
      return waits.awaited([...missing.dids, ...missing.uris], {
        isThere: whenAsked(asked, () => isUnderWay(missing) || isFaceUnderWay(missing)),
        maxWaitMs: maxWaitMs - leftMs + Math.min(leftMs, patienceMs),
        signal,
        isShared,
      })
    },
    among(items, reader, make) {
      const missing = missingIn(reader, (trial) => make(items, trial))
      if (missing.isEmpty) return items
      void fetchRequests.ask(reader.viewer, missing)
      return items.filter((item) => {
        const lacking = missingIn(reader, (trial) => make([item], trial))
        return lacking.isEmpty || !isUnderWay(lacking)
      })
    },
  }
}

/** What is missing in what is made, and is in nothing else that was read for the reader. */
function missingIn({ viewer, ...read }: Reader, make: (trial: Reader) => unknown): MissingSet {
  const trial = createReader(viewer, read)
  make(trial)
  return trial.missing
}

function keysOf(uris: ReadonlySet<string>) {
  return [...uris].map(parseRecordUri).filter((key) => key !== undefined)
}
