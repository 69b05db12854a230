// Reports records and accounts that an answer to a member lacked to the ingest thread, so that the next
// answer has them. Fire and forget, each thing once per interval, few messages at a time; dropping one loses
// nothing, since the next request reports it again. Unknown accounts must exist first, so that requests for
// made-up ones don't fill our tables.

import type { Viewer } from '../../../answers/hydrate/types.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { createThingGate } from '../../../base/util/gate.ts'
import { currentCall } from '../../../base/util/turn.ts'
import type { Writer } from '../../../bridge/messages.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { SharedBudget } from '../../../data/shared-memory/shared-budget.ts'
import type { Resolver } from '../../../sources/identity/resolver.ts'
import { LOOKUP_MS } from '../../overload/address-time.ts'

export type FetchRequests = {
  /** @returns resolves once the writer has the request, or none is needed */
  ask(viewer: Viewer, things: { uris?: Iterable<string>; dids?: Iterable<string> }): Promise<void>
  /** Whether the writer has a request for this thing, or its account is known not to exist. */
  wasSent(thing: string): boolean
}

const MAX_REMEMBERED = 20_000
const REQUESTED_AGAIN_AFTER_MS = 10 * MINUTE_MS
const MAX_A_REQUEST = 100
const MAX_IN_FLIGHT = 16

const MAX_STRANGERS_A_REQUEST = 50

const NOTHING = Promise.resolve()

type FetchRequestsContext = {
  writer: Writer
  actors: Pick<ActorReader, 'uidOf'>
  resolver: Pick<Resolver, 'resolve'>
  /** Budget for looking up unknown accounts, per member and in total; unlimited by default. */
  lookups?: SharedBudget
  now?: () => number
}

export function createFetchRequests(context: FetchRequestsContext): FetchRequests {
  const { ask: askFor, wasSent } = createAsk(context)
  return {
    wasSent,
    ask(viewer, { uris = [], dids = [] }) {
      const some = (things: Iterable<string>) => [...things].slice(0, MAX_A_REQUEST)
      return viewer ? askFor(viewer.did, some(uris), some(dids)) : NOTHING
    },
  }
}

/**
 * Requests things not requested recently; a call for things just being sent waits for that message.
 */
function createAsk(context: FetchRequestsContext) {
  const { now = Date.now } = context
  const requested = createThingGate(REQUESTED_AGAIN_AFTER_MS, MAX_REMEMBERED, now)
  const onTheWay = new Map<string, Promise<void>>()
  const send = createSend(context, requested.open)
  let inFlight = 0

  function sendOff(did: string, uris: string[], dids: string[]): Promise<void> {
    const things = [...uris, ...dids]
    inFlight++
    const sent = send(did, uris, dids)
      .catch(() => {
        // If the writer is busy or full, the next request asks again.
        for (const thing of things) requested.open(thing)
      })
      .finally(() => {
        inFlight--
        for (const thing of things) onTheWay.delete(thing)
      })
    for (const thing of things) onTheWay.set(thing, sent)
    return sent
  }

  function ask(viewer: string, uris: readonly string[], dids: readonly string[]): Promise<void> {
    const sent = [...uris, ...dids].flatMap((thing) => onTheWay.get(thing) ?? [])
    if (inFlight < MAX_IN_FLIGHT) {
      const [newUris, newDids] = [uris.filter(requested.mayAsk), dids.filter(requested.mayAsk)]
      if (newUris.length + newDids.length > 0) sent.push(sendOff(viewer, newUris, newDids))
    }
    return sent.length === 0 ? NOTHING : Promise.all(sent).then(() => undefined)
  }

  return { ask, wasSent: (thing: string) => requested.wasRequested(thing) && !onTheWay.has(thing) }
}

/** @param forget - called for things that were not sent, which may be requested again */
function createSend(context: FetchRequestsContext, forget: (thing: string) => void) {
  const { writer, actors, resolver, lookups, now = Date.now } = context

  /** How many unknown accounts this request may look up. */
  function takeLookups(viewer: string, strangers: number): number {
    const most = Math.min(
      strangers,
      MAX_STRANGERS_A_REQUEST,
      lookups?.left(viewer, now()) ?? strangers,
    )
    lookups?.spend(viewer, most, now())
    return most
  }

  /** Those that exist, and those of which that can't be told now, or which are beyond the budget. */
  async function lookUp(strangers: string[], count: number): Promise<Looked> {
    const looked = {
      existing: new Set<string>(),
      unclear: new Set<string>(strangers.slice(count)),
    }
    const call = currentCall()
    const asker = { beforeLookup: () => call?.addElsewhere(LOOKUP_MS) }
    const run = async (did: string) => {
      try {
        if (await resolver.resolve(did, { asker })) looked.existing.add(did)
      } catch {
        looked.unclear.add(did)
      }
    }
    await Promise.all(strangers.slice(0, count).map(run))
    return looked
  }

  /** Sends at once if all accounts are known here, which is nearly always so. */
  return async (did: string, uris: string[], dids: string[]): Promise<void> => {
    const accounts = new Set([...uris.map(authorityOf), ...dids])
    const strangers = [...accounts].filter((account) => actors.uidOf(account) === 0)
    const { existing, unclear } =
      strangers.length === 0 ? NOBODY : await lookUp(strangers, takeLookups(did, strangers.length))
    for (const thing of [...uris, ...dids]) if (unclear.has(authorityOf(thing))) forget(thing)
    const isThere = (account: string) => existing.has(account) || actors.uidOf(account) !== 0
    const sent = {
      uris: uris.filter((uri) => isThere(authorityOf(uri))),
      dids: dids.filter(isThere),
    }
    if (sent.uris.length + sent.dids.length === 0) return
    await writer.send({ kind: 'fetch-requested', did, ...sent })
  }
}

type Looked = { existing: ReadonlySet<string>; unclear: ReadonlySet<string> }

const NOBODY: Looked = { existing: new Set(), unclear: new Set() }

/** Of an at-URI, or the DID itself. */
function authorityOf(uri: string): string {
  return uri.split('/', 3)[2] ?? uri
}
