// From the at-URI of a request, with a DID or a handle, to a post.

import { parseRecordUri } from '../../base/atproto/at-uri.ts'
import { andThen, type MaybeLater } from './actor-names.ts'
import type { AppContext } from './app-context.ts'

/** `uri` names a DID where that could be found; `id` is posts.id, or 0 where there is no row. */
export type NamedPost = { uri: string; id: number }

const POST = 'app.bsky.feed.post'
const WITH_HANDLE = /^at:\/\/([^/:]+)(\/.*)?$/

export function findNamedPost(
  serving: Pick<AppContext, 'actors' | 'names' | 'records'>,
  uri: string,
): MaybeLater<NamedPost> {
  const [, handle, path = ''] = WITH_HANDLE.exec(uri) ?? []
  if (handle === undefined) return knownPost(serving, uri)
  return andThen(serving.names.find(handle), (actor) =>
    knownPost(serving, actor ? `at://${actor.did}${path}` : uri),
  )
}

function knownPost(
  { actors, records }: Pick<AppContext, 'actors' | 'records'>,
  uri: string,
): NamedPost {
  const key = parseRecordUri(uri)
  const uid = key?.collection === POST ? actors.uidOf(key.did) : 0
  return { uri, id: uid === 0 ? 0 : records.postIdOf(uid, key!.rkey) }
}

export function isPostUri(uri: string): boolean {
  return parseRecordUri(uri)?.collection === POST
}
