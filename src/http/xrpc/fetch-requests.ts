// Reports records and accounts that an answer to a member lacked to the ingest thread, so that the next
// answer has them. Fire and forget, each thing once per interval, few messages at a time; dropping one loses
// nothing, since the next request reports it again. Unknown accounts must exist first, so that requests for
// made-up ones don't fill our tables.

import type { Viewer } from '../../answers/hydrate/types.ts'
import { MINUTE_MS } from '../../base/util/durations.ts'
import { createThingGate } from '../../base/util/gate.ts'
import type { Writer } from '../../bridge/messages.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import type { SharedBudget } from '../../data/shared-memory/shared-budget.ts'
import type { Resolver } from '../../sources/identity/resolver.ts'

export type FetchRequests = {
  /** @returns resolves once the writer has the request, or none is needed */
  ask(viewer: Viewer, things: { uris?: Iterable<string>; dids?: Iterable<string> }): Promise<void>
}

const MAX_REMEMBERED = 20_000
const ASKED_AGAIN_AFTER_MS = 10 * MINUTE_MS
const MAX_A_REQUEST = 100
const MAX_IN_FLIGHT = 16

const MAX_STRANGERS_A_REQUEST = 50

const NOTHING = Promise.resolve()

type FetchRequestsParts = {
  writer: Writer
  actors: Pick<ActorReader, 'uidOf'>
  resolver: Pick<Resolver, 'resolve'>
  /** Budget for looking up unknown accounts, per member and in total; unlimited by default. */
  lookups?: SharedBudget
  now?: () => number
}

export function createFetchRequests(parts: FetchRequestsParts): FetchRequests {
  const askFor = createAsk(parts)
  return {
    ask(viewer, { uris = [], dids = [] }) {
      const some = (things: Iterable<string>) => [...things].slice(0, MAX_A_REQUEST)
      return viewer ? askFor(viewer.did, some(uris), some(dids)) : NOTHING
    },
  }
}

/**
 * Requests things not requested recently; a call for things just being sent waits for that message.
 */
function createAsk(parts: FetchRequestsParts) {
  const { now = Date.now } = parts
  const asked = createThingGate(ASKED_AGAIN_AFTER_MS, MAX_REMEMBERED, now)
  const onTheWay = new Map<string, Promise<void>>()
  const send = createSend(parts, asked.open)
  let inFlight = 0

  function sendOff(did: string, uris: string[], dids: string[]): Promise<void> {
    const things = [...uris, ...dids]
    inFlight++
    const sent = send(did, uris, dids)
      .catch(() => {
        // If the writer is busy or full, the next request asks again.
        for (const thing of things) asked.open(thing)
      })
      .finally(() => {
        inFlight--
        for (const thing of things) onTheWay.delete(thing)
      })
    for (const thing of things) onTheWay.set(thing, sent)
    return sent
  }

  return (viewer: string, uris: readonly string[], dids: readonly string[]): Promise<void> => {
    const sent = [...uris, ...dids].flatMap((thing) => onTheWay.get(thing) ?? [])
    if (inFlight < MAX_IN_FLIGHT) {
      const [newUris, newDids] = [uris.filter(asked.mayAsk), dids.filter(asked.mayAsk)]
      if (newUris.length + newDids.length > 0) sent.push(sendOff(viewer, newUris, newDids))
    }
    return sent.length === 0 ? NOTHING : Promise.all(sent).then(() => undefined)
  }
}

/** @param forget - called for things beyond the budget, which may be requested again */
function createSend(parts: FetchRequestsParts, forget: (thing: string) => void) {
  const { writer, actors, resolver, lookups, now = Date.now } = parts

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

  /** Returns the accounts that can't be resolved now, and those beyond the budget. */
  async function findAbsent(strangers: string[], count: number): Promise<Set<string>> {
    const absent = new Set(strangers)
    const lookUp = async (did: string) => {
      const identity = await resolver.resolve(did).catch(() => undefined)
      if (identity) absent.delete(did)
    }
    await Promise.all(strangers.slice(0, count).map(lookUp))
    return absent
  }

  /** Sends at once if all accounts are known here, which is nearly always so. */
  return async (did: string, uris: string[], dids: string[]): Promise<void> => {
    const accounts = new Set([...uris.map(authorityOf), ...dids])
    const strangers = [...accounts].filter((one) => actors.uidOf(one) === 0)
    const count = takeLookups(did, strangers.length)
    const later = new Set(strangers.slice(count))
    for (const uri of uris) if (later.has(authorityOf(uri))) forget(uri)
    for (const one of dids) if (later.has(one)) forget(one)
    const absent = strangers.length > 0 ? await findAbsent(strangers, count) : new Set<string>()
    const existing = {
      uris: uris.filter((uri) => !absent.has(authorityOf(uri))),
      dids: dids.filter((one) => !absent.has(one)),
    }
    if (existing.uris.length + existing.dids.length === 0) return
    await writer.send({ kind: 'fetch-requested', did, ...existing })
  }
}

function authorityOf(uri: string): string {
  return uri.split('/', 3)[2] ?? ''
}
