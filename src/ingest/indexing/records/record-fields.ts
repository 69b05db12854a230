// Reads validated records: fields, times, the keys in their at-URIs, and what a post embeds. The lexicon has been
// checked before, so these functions only narrow types.

import { normalizeDatetimeAlways } from '@atproto/syntax'
import { microsOf, type PackedRkey } from '../../../base/atproto/keys.ts'
import { asObject, type JsonObject } from '../../../base/util/json-object.ts'
import { HAS_MEDIA, HAS_VIDEO } from '../../../data/store/posts/post-flags.ts'

/** The at-URI of a strong reference at `subject`. */
export function subjectUri(record: JsonObject): unknown {
  return asObject(record['subject'])?.['uri']
}

// Times of a record. `createdAt` is a claim; `sortAt`, the earlier of claim and arrival, is the reference's
// sort key.

const NETWORK_BEGAN_AT = Date.parse('2022-11-01')
const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

/** Milliseconds since 1970, negative before; 0 for an unreadable time, as in the reference. */
export function parseCreatedAt(createdAt: unknown): number {
  if (typeof createdAt !== 'string') return 0
  const parsed = Date.parse(
    CANONICAL.test(createdAt) ? createdAt : normalizeDatetimeAlways(createdAt),
  )
  return Number.isFinite(parsed) ? Math.floor(parsed) : 0
}

/**
 * Returns a key's time; undefined if it is from before the network or after `latest`, since keys
 * can be made up too.
 */
export function keyMadeAt(rkey: PackedRkey, latest: number): number | undefined {
  if (typeof rkey === 'string') return undefined
  const madeAt = Math.floor(microsOf(rkey) / 1000)
  return madeAt >= NETWORK_BEGAN_AT && madeAt <= latest ? madeAt : undefined
}

// Parses the at-URIs in records. Only record keys by DID are supported; a handle as authority can't be
// followed without a lookup, so it counts as no reference.

/** Location of a record, without its collection. */
export type RecordRef = { did: string; rkey: string }

const SCHEME = 'at://'
const POST_COLLECTION = 'app.bsky.feed.post'
export const LIST_COLLECTION = 'app.bsky.graph.list'

/** @returns undefined unless `uri` is a string that names a record of this collection by DID */
export function parseRecordUri(uri: unknown, collection: string): RecordRef | undefined {
  if (typeof uri !== 'string' || !uri.startsWith('at://did:')) return undefined
  const slash = uri.indexOf('/', SCHEME.length)
  if (slash < 0) return undefined
  const rkeyStart = slash + collection.length + 2
  if (!uri.startsWith(collection, slash + 1) || uri[rkeyStart - 1] !== '/') return undefined
  const rkey = uri.slice(rkeyStart)
  if (rkey === '' || rkey.includes('/') || rkey.includes('?') || rkey.includes('#'))
    return undefined
  return { did: uri.slice(SCHEME.length, slash), rkey }
}

export function parsePostUri(uri: unknown): RecordRef | undefined {
  return parseRecordUri(uri, POST_COLLECTION)
}

/** The DID in an at-URI's authority, without checking the rest. */
export function authorityOf(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !uri.startsWith('at://did:')) return undefined
  const slash = uri.indexOf('/', SCHEME.length)
  return slash < 0 ? uri.slice(SCHEME.length) : uri.slice(SCHEME.length, slash)
}

// Derives row fields from a post's embed: the quoted post, and whether it shows media.

const EMBED = 'app.bsky.embed'

/** The embed's parts: a record with media has two. */
function parts(record: JsonObject): (JsonObject | undefined)[] {
  const embed = asObject(record['embed'])
  if (embed?.['$type'] !== `${EMBED}.recordWithMedia`) return [embed]
  // Inside a recordWithMedia the record part may have no type.
  const inner = asObject(embed['record'])
  return [inner && { ...inner, $type: `${EMBED}.record` }, asObject(embed['media'])]
}

/** The quoted post, if the embedded record is one. */
export function quotedPost(record: JsonObject): RecordRef | undefined {
  for (const part of parts(record)) {
    if (part?.['$type'] === `${EMBED}.record`) {
      return parsePostUri(asObject(part['record'])?.['uri'])
    }
  }
  return undefined
}

export function mediaFlags(record: JsonObject): number {
  let flags = 0
  for (const part of parts(record)) {
    const type = part?.['$type']
    if (type === `${EMBED}.video`) flags |= HAS_MEDIA | HAS_VIDEO
    if (type === `${EMBED}.images` || type === `${EMBED}.gallery`) flags |= HAS_MEDIA
  }
  return flags
}
