// The two filter dialects of the real server, reduced to one predicate. Collections constrain commits only;
// dids constrain everything; both match all when absent or empty.

import type { LoggedEmission } from './emission.ts'

export const MAX_COLLECTIONS = 100
export const MAX_DIDS = 10_000
const KINDS = ['commit', 'identity', 'account', 'sync']

export type WireFilter = {
  collections: readonly string[]
  dids: ReadonlySet<string> | undefined
  kinds: readonly string[]
  maxMessageSizeBytes: number
}

export class InvalidOptionsError extends Error {}

export function wants(filter: WireFilter, event: LoggedEmission): boolean {
  const kind = event.kind ?? 'commit'
  if (filter.kinds.length > 0 && !filter.kinds.includes(kind)) return false
  if (filter.dids && !filter.dids.has(event.did)) return false
  if (!('collection' in event) || filter.collections.length === 0) return true
  const { collection } = event
  return filter.collections.some((pattern) =>
    pattern.endsWith('.*') ? collection.startsWith(pattern.slice(0, -1)) : pattern === collection,
  )
}

/**
 * Parses a filter of network.bsky.jetstream.subscribeEvents.
 * @throws InvalidOptionsError
 */
export function parseFilterV2(query: URLSearchParams): WireFilter {
  for (const name of ['wantedDids', 'wantedCollections', 'requireHello']) {
    if (query.has(name)) throw new InvalidOptionsError(`${name} is the legacy /subscribe parameter`)
  }
  const kinds = query.getAll('kinds')
  const odd = kinds.find((kind) => !KINDS.includes(kind))
  if (odd !== undefined || kinds.length > KINDS.length) {
    throw new InvalidOptionsError(`unknown kind "${odd}"`)
  }
  const collections = query.getAll('collections')
  if (collections.length > 0 && kinds.length > 0 && !kinds.includes('commit')) {
    throw new InvalidOptionsError('collections filter can never apply: kinds excludes commit')
  }
  const max = query.get('maxMessageSizeBytes') ?? '0'
  if (!/^\d{1,10}$/.test(max)) throw new InvalidOptionsError('invalid maxMessageSizeBytes')
  return { ...checked(collections, query.getAll('dids')), kinds, maxMessageSizeBytes: Number(max) }
}

/**
 * Parses a filter of `/subscribe`; an invalid maxMessageSizeBytes is silently ignored.
 * @throws InvalidOptionsError
 */
export function parseFilterV1(query: URLSearchParams): WireFilter {
  const max = query.get('maxMessageSizeBytes') ?? ''
  return {
    ...checked(query.getAll('wantedCollections'), query.getAll('wantedDids')),
    kinds: [],
    maxMessageSizeBytes: /^\d{1,10}$/.test(max) ? Number(max) : 0,
  }
}

/**
 * Parses the payload of an options_update.
 * @throws InvalidOptionsError
 */
export function parseOptionsUpdate(payload: {
  wantedCollections?: string[]
  wantedDids?: string[]
  maxMessageSizeBytes?: number
}): WireFilter {
  return {
    ...checked(payload.wantedCollections ?? [], payload.wantedDids ?? []),
    kinds: [],
    maxMessageSizeBytes: Math.max(0, payload.maxMessageSizeBytes ?? 0),
  }
}

function checked(collections: string[], dids: string[]): Pick<WireFilter, 'collections' | 'dids'> {
  if (collections.length > MAX_COLLECTIONS) {
    throw new InvalidOptionsError(`too many collections values: ${collections.length}`)
  }
  if (dids.length > MAX_DIDS) throw new InvalidOptionsError(`too many dids: ${dids.length}`)
  const badDid = dids.find((did) => !/^did:[a-z]+:[a-zA-Z0-9._:%-]+$/.test(did))
  if (badDid !== undefined) throw new InvalidOptionsError(`invalid DID: ${badDid}`)
  const bad = collections.find((name) => !/^[a-zA-Z][a-zA-Z0-9.-]*(\.\*)?$/.test(name))
  if (bad !== undefined) throw new InvalidOptionsError(`invalid collection: ${bad}`)
  return { collections, dids: dids.length > 0 ? new Set(dids) : undefined }
}
