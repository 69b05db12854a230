// Keeps a newcomer's page from showing unfetched data as facts: clients write “Deleted” for an embedded post
// that is not here and “Invalid Handle” for a name not yet looked up, and show a blank face for a profile on
// its way. Missing data is requested (fetch-requests.ts) and awaited before the page is made. Items whose
// data is still being fetched are left out; the next page of the same stretch or a refresh has them. Data
// that can't be had now is shown as it is.

import { createReader, type MissingSet, type Reader } from '../../../answers/hydrate/reader.ts'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { andThen, inParts, inTurn, inTurns, type MaybeLater } from '../../../base/util/turn.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { UnderWay } from '../../../data/store/read/under-way.ts'
import type { MethodContext } from '../../server/method.ts'
import { REQUEST_MAX_WAIT_MS, waitLeftMs } from '../../server/wait-left.ts'
import type { FetchRequests } from './fetch-requests.ts'
import { createWaits } from './waits.ts'
import { whenRequested } from './when-requested.ts'

type Dependencies = {
  actors: Pick<ActorReader, 'uidOf'>
  underWay: UnderWay
  fetchRequests: FetchRequests
}
type Things = Pick<MissingSet, 'dids' | 'uris'>

/** Makes views for a reader, some at a time. */
type Making = (reader: Reader) => Generator<void, unknown>
/** Whose request it is, and the turns in which it looks. */
type By = { readonly reader: Reader; readonly time?: MethodContext['time'] }

type Request = By & {
  signal: AbortSignal
  /** Counted from the request's first wait. */
  maxWaitMs?: number
  /** Wait even for things that a request has just waited for. */
  isShared?: boolean
  /** Counted from now. */
  patienceMs?: number
}

type CompleteItems = {
  /**
   * Waits for data missing from the views that `make` makes, within the request's remaining wait
   * time.
   * @returns whether it waited
   */
  awaited(make: Making, request: Request): Promise<boolean>
  /** Requests what is missing from these views, and does not wait for it. */
  ask(make: Making, by: By): MaybeLater<void>
  /** The items that need no data still being fetched. */
  among<T>(
    items: readonly T[],
    reader: Reader,
    make: (items: readonly T[], reader: Reader) => readonly unknown[],
  ): Generator<void, readonly T[]>
}

const SHORTEST_MS = 500
/** As many as a cold start waits for. */
const TRIES = 3

export function createCompleteItems(parts: Dependencies): CompleteItems {
  const { actors, underWay, fetchRequests } = parts
  const waits = createWaits()

  function isUnderWay({ dids, uris }: Things): boolean {
    const uids = [...dids].map((did) => actors.uidOf(did)).filter((uid) => uid !== 0)
    if (underWay.accounts(underWay.neverLookedUp(uids), TRIES)) return true
    // A failed lookup does not mean that the name is invalid.
    if (underWay.lookedUpAgain(uids, TRIES)) return true
    return underWay.records(keysOf(uris), TRIES)
  }

  /** Awaited, but no item is left out for it: an account without a face still has a name. */
  function isFaceUnderWay({ dids }: Things): boolean {
    return underWay.profiles([...dids].map((did) => actors.uidOf(did)))
  }

  return {
    async awaited(make, request) {
      const { reader, signal, maxWaitMs = REQUEST_MAX_WAIT_MS, isShared = false } = request
      const missing = await inTurn(request, () => inTurns(missingIn(reader, make)))
      if (missing.isEmpty) return false
      const requested = fetchRequests.ask(reader.viewer, missing)
      const leftMs = waitLeftMs(signal, maxWaitMs, Date.now())
      if (leftMs < SHORTEST_MS) return false
      const { patienceMs = leftMs } = request
      return waits.awaited([...missing.dids, ...missing.uris], {
        isThere: whenRequested(requested, () => isUnderWay(missing) || isFaceUnderWay(missing)),
        maxWaitMs: maxWaitMs - leftMs + Math.min(leftMs, patienceMs),
        signal,
        isShared,
      })
    },
    ask(make, by) {
      const { reader } = by
      const ask = (missing: MissingSet) => void fetchRequests.ask(reader.viewer, missing)
      return inTurn(by, () => andThen(inTurns(missingIn(reader, make)), ask))
    },
    *among(items, reader, make) {
      const missing = yield* missingIn(reader, (trial) =>
        inParts(items, (some) => make(some, trial)),
      )
      if (missing.isEmpty) return items
      void fetchRequests.ask(reader.viewer, missing)
      const complete = []
      for (const item of items) {
        const missing = yield* missingIn(reader, (trial) =>
          inParts([item], (some) => make(some, trial)),
        )
        if (missing.isEmpty || !isUnderWay(missing)) complete.push(item)
        yield
      }
      return complete
    },
  }
}

/** Data missing from the made views alone, whatever else was read for the reader. */
function* missingIn({ viewer, ...read }: Reader, make: Making): Generator<void, MissingSet> {
  const trial = createReader(viewer, read)
  yield* make(trial)
  return trial.missing
}

function keysOf(uris: ReadonlySet<string>) {
  return [...uris].map(parseRecordUri).filter((key) => key !== undefined)
}
