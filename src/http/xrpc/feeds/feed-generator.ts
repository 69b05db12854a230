// Finds the service behind a feed and its endpoint: the DID that the generator's record names, and the
// service in that DID's document. Records that are not indexed are requested, once per interval.

import { isValidDid } from '@atproto/syntax'
import type { Hydrator } from '../../../answers/hydrate/hydrator-types.ts'
import { createReader } from '../../../answers/hydrate/reader.ts'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { invalidRequest, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { LruMap } from '../../../base/util/lru.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import { serviceEndpoint } from '../../../sources/identity/did-document.ts'
import type { Call } from '../call.ts'
import { fetchRecord } from '../strangers/outside-record.ts'
import { lookupsFor } from '../strangers/outside-shares.ts'
import { notHereYet } from '../waiting/not-here.ts'

const GENERATOR = 'app.bsky.feed.generator'

/** For whom a generator is looked up. */
type Caller = Pick<Call, 'signal' | 'who' | 'time'>

type Generators = {
  /**
   * Returns the DID of the service that makes the feed.
   * @throws XRPCError InvalidRequest if there is no such feed
   */
  serviceOf(uri: string, call: Caller): Promise<string>
  /**
   * Returns the service's endpoint.
   * @throws XRPCError InvalidRequest if the DID document names none, NotHereYet if that can't be told
   */
  endpointOf(did: string, call: Caller): Promise<string>
}

type Dependencies = Parameters<typeof fetchRecord>[0] & { actors: ActorReader; hydrator: Hydrator }

const MAX_REMEMBERED = 5_000
const REMEMBERED_FOR_MS = 5 * MINUTE_MS

export function createGenerators(parts: Dependencies, now: () => number = Date.now): Generators {
  const fetched = new LruMap<string, { did: string; at: number }>(MAX_REMEMBERED)
  const isFresh = (item: { at: number } | undefined) =>
    item !== undefined && now() - item.at < REMEMBERED_FOR_MS

  async function fetchDid(uri: string, { signal, who, time }: Caller): Promise<string> {
    const before = fetched.get(uri)
    if (before && isFresh(before)) return before.did
    const key = parseRecordUri(uri)
    if (key?.collection !== GENERATOR || !isValidDid(key.did)) throw noSuchFeed()
    const { did: owner, rkey } = key
    const repo = { did: owner, uid: parts.actors.uidOf(owner) }
    const record = await fetchRecord(parts, repo, {
      key: { collection: GENERATOR, rkey },
      signal,
      who,
      time,
    })
    const { did } = record.value as { did?: unknown }
    if (typeof did !== 'string' || !isValidDid(did)) throw noSuchFeed()
    fetched.set(uri, { did, at: now() })
    return did
  }

  return {
    async serviceOf(uri, call) {
      const held = parts.hydrator.records([uri], createReader(undefined)).records.get(uri)
      if (held?.collection === GENERATOR) return held.record.did
      return fetchDid(uri, call).catch((error) => {
        const isPassing =
          error instanceof XRPCError && (error.status >= 500 || error.status === 429)
        throw isPassing ? error : noSuchFeed()
      })
    },
    async endpointOf(did, call) {
      const asker = lookupsFor(parts, call)
      const identity = await parts.resolver.resolve(did, { asker }).catch((error: unknown) => {
        if (error instanceof XRPCError) throw error
        throw notHereYet(`could not resolve identity: ${did}`)
      })
      if (!identity) throw invalidRequest(`could not resolve identity: ${did}`)
      const endpoint = serviceEndpoint(identity, 'bsky_fg', 'BskyFeedGenerator')
      if (endpoint) return endpoint.replace(/\/$/, '')
      throw invalidRequest(`invalid feed generator service details in did document: ${did}`)
    },
  }
}

export function noSuchFeed(): XRPCError {
  return invalidRequest('could not find feed')
}
