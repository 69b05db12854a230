// Resolves the at-URI of a request, with a DID or a handle, to a post.

import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import type { Needs } from './define.ts'
import { andThen, type MaybeLater } from './maybe-later.ts'

/** `uri` has a DID if the account could be found; `id` is posts.id, or 0 if there is no row. */
export type NamedPost = { uri: string; id: number }

const POST = 'app.bsky.feed.post'
const WITH_HANDLE = /^at:\/\/([^/:]+)(\/.*)?$/

export function findNamedPost(
  app: Needs<'actors' | 'names' | 'records'>,
  uri: string,
): MaybeLater<NamedPost> {
  const [, handle, path = ''] = WITH_HANDLE.exec(uri) ?? []
  const known = (by: string) => ({ uri: by, id: postIdOf(app, by) })
  if (handle === undefined) return known(uri)
  return andThen(app.names.find(handle), (actor) => known(actor ? `at://${actor.did}${path}` : uri))
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
