// The two subscription URLs and the two filter dialects. Pure.

import { assert } from '../assert.ts'
import { isDid } from '../frames/syntax.ts'
import type { Wire } from '../resume.ts'

const MAX_COLLECTIONS = 100
const MAX_DIDS = 10_000
// Proxies commonly refuse longer request lines; v1 can send its filters after the upgrade instead.
const MAX_V1_URL_CHARS = 4000
/** Servers take an empty list as all accounts; this is how to ask for none. */
const NOBODY = 'did:web:nobody.invalid'

export type StreamFilters = {
  /** NSIDs or `prefix.*`; at most 100; empty means all. */
  collections: readonly string[]
  /** undefined: all accounts. At most 10,000; empty means none. */
  dids: readonly string[] | undefined
}

export function assertFilters({ collections, dids }: StreamFilters): void {
  assert(collections.length <= MAX_COLLECTIONS, `more than ${MAX_COLLECTIONS} collections`)
  assert((dids?.length ?? 0) <= MAX_DIDS, `more than ${MAX_DIDS} dids`)
  assert(dids?.every(isDid) ?? true, 'a filter names something that is no DID')
}

export function sameFilters(a: StreamFilters, b: StreamFilters): boolean {
  return sameList(a.collections, b.collections) && sameList(a.dids, b.dids)
}

function sameList(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (!a || !b) return a === b
  return a.length === b.length && a.every((value, i) => value === b[i])
}

export function subscribeUrl(options: {
  host: string
  wire: Wire
  filters: StreamFilters
  cursor: number | undefined
  /** v2: the dictionary's id; v1: whether to compress. */
  dictionaryId: number | undefined
  maxFrameBytes: number
}): { url: string; hello: string | undefined } {
  const { host, wire, filters, cursor, dictionaryId, maxFrameBytes } = options
  const query: string[] = [`maxMessageSizeBytes=${maxFrameBytes}`]
  if (cursor !== undefined) query.push(`cursor=${cursor}`)
  const names = wire === 'v2' ? ['collections', 'dids'] : ['wantedCollections', 'wantedDids']
  const filter = [
    ...filters.collections.map((name) => `${names[0]}=${encode(name)}`),
    ...(wantedDids(filters) ?? []).map((did) => `${names[1]}=${encode(did)}`),
  ]
  if (wire === 'v2') {
    if (dictionaryId !== undefined) query.push(`zstdDictionary=${dictionaryId}`)
    const path = '/xrpc/network.bsky.jetstream.subscribeEvents'
    return { url: `${host}${path}?${[...query, ...filter].join('&')}`, hello: undefined }
  }
  if (dictionaryId !== undefined) query.push('compress=true')
  const url = `${host}/subscribe?${[...query, ...filter].join('&')}`
  if (url.length <= MAX_V1_URL_CHARS) return { url, hello: undefined }
  const waiting = `${host}/subscribe?${[...query, 'requireHello=true'].join('&')}`
  return { url: waiting, hello: optionsUpdate(filters, maxFrameBytes) }
}

/** The v1 message that changes a live connection's filters. */
export function optionsUpdate(filters: StreamFilters, maxFrameBytes: number): string {
  const payload = {
    wantedCollections: filters.collections,
    wantedDids: wantedDids(filters) ?? [],
    maxMessageSizeBytes: maxFrameBytes,
  }
  return JSON.stringify({ type: 'options_update', payload })
}

function wantedDids({ dids }: StreamFilters): readonly string[] | undefined {
  return dids?.length === 0 ? [NOBODY] : dids
}

/** Colons need no escaping in a query, and ten thousand escaped ones are 40 KB. */
function encode(value: string): string {
  return encodeURIComponent(value).replaceAll('%3A', ':')
}
