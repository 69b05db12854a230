// Parses and builds at-URIs. Supports only those of records (a DID, a collection and a record key) and of
// collections, without the key (https://atproto.com/specs/at-uri-scheme).

import { type PackedRkey, unpackRkey } from './keys.ts'

export type RecordKey = { did: string; collection: string; rkey: string }

const RECORD_URI = /^at:\/\/(did:[a-z]+:[A-Za-z0-9._:%-]+)\/([A-Za-z0-9.-]+)\/([A-Za-z0-9._~:-]+)$/

const COLLECTION_URI =
  /^at:\/\/(did:[a-z]+:[A-Za-z0-9._:%-]+)\/([A-Za-z0-9.-]+)(?:\?before=(\d{1,16}))?$/

export function recordUri(did: string, collection: string, rkey: PackedRkey): string {
  return `at://${did}/${collection}/${unpackRkey(rkey)}`
}

/** Returns the DID in a record's at-URI that has been validated. */
export function didOfUri(uri: string): string {
  return uri.slice('at://'.length, uri.indexOf('/', 'at://'.length))
}

/** @returns undefined for anything else, for example an at-URI with a handle. */
export function parseRecordUri(uri: unknown): RecordKey | undefined {
  const match = typeof uri === 'string' ? RECORD_URI.exec(uri) : null
  return match ? { did: match[1]!, collection: match[2]!, rkey: match[3]! } : undefined
}

type CollectionPage = Omit<RecordKey, 'rkey'> & {
  /** Milliseconds since 1970: the page continues below this time. */
  before: number | undefined
}

/**
 * Names the newest records of a collection, or those before a time: only for requests between our
 * own threads.
 */
export function collectionUri(did: string, collection: string, before?: number): string {
  return `at://${did}/${collection}${before === undefined ? '' : `?before=${before}`}`
}

/** @returns undefined for anything else, for example the at-URI of a record. */
export function parseCollectionUri(uri: string): CollectionPage | undefined {
  const match = COLLECTION_URI.exec(uri)
  if (!match) return undefined
  const before = match[3] === undefined ? undefined : Number(match[3])
  return { did: match[1]!, collection: match[2]!, before }
}

const CARD = '#card'

/** Names the records of a post's link card: only for requests between our own threads. */
export function cardOfPost(uri: string): string {
  return `${uri}${CARD}`
}

/** The at-URI of the post whose card is named so; undefined for anything else. */
export function postOfCard(name: string): string | undefined {
  return name.endsWith(CARD) ? name.slice(0, -CARD.length) : undefined
}
