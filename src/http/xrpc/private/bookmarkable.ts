import { parseRecordUri, type RecordKey } from '../../../base/atproto/at-uri.ts'
import { invalidRequest } from '../../../base/atproto/xrpc-error.ts'

const POST = 'app.bsky.feed.post'

/** @throws XRPCError UnsupportedCollection, or InvalidRequest if the URI names no record */
export function bookmarkable(uri: string): RecordKey {
  const key = parseRecordUri(uri)
  if (!key)
    throw invalidRequest('uri must name a record of an account, by collection and record key')
  if (key.collection !== POST) {
    throw invalidRequest(`Only '${POST}' records can be bookmarked`, 'UnsupportedCollection')
  }
  return key
}
