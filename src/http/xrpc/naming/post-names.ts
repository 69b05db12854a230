// Finds the post that a request names by at-URI. Handles in it were replaced by DIDs before (by-did.ts).

import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import type { Needs } from '../define.ts'

/** `id` is posts.id, or 0 if there is no row. */
export type NamedPost = { uri: string; id: number }

const POST = 'app.bsky.feed.post'

export function namedPost(app: Needs<'actors' | 'records'>, uri: string): NamedPost {
  return { uri, id: postIdOf(app, uri) }
}

/** posts.id of an at-URI with a DID; 0 if it names no post known here. */
export function postIdOf({ actors, records }: Needs<'actors' | 'records'>, uri: string): number {
  const key = parseRecordUri(uri)
  const uid = key?.collection === POST ? actors.uidOf(key.did) : 0
  return uid === 0 ? 0 : records.postIdOf(uid, key!.rkey)
}

export function isPostUri(uri: string): boolean {
  return parseRecordUri(uri)?.collection === POST
}
