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
