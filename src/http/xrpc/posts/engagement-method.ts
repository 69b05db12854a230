// Common parts of getLikes, getRepostedBy and getQuotes: a post, and a list of interactions with it. Without
// any, a post that is not held is unknown, unless there is no such post (up-to-date.ts). As in the reference,
// `cid` is only echoed.

import type { SkeletonPage } from '../../../answers/skeleton/skeleton-page.ts'
import { parseRecordUri } from '../../../base/atproto/at-uri.ts'
import { recordCollections } from '../../../base/atproto/collections.ts'
import type { PostByUri } from '../../../data/store/read/posts/posts-by-uri.ts'
import type { Call } from '../call.ts'
import type { Needs } from '../define.ts'
import { isPostUri, type NamedPost, namedPost } from '../naming/post-names.ts'
import { isStoredAccount, isStoredPost } from '../strangers/holdings.ts'

type Params = { uri: string; cid?: string }

/** `author` is 0 if it is not indexed; `id` is posts.id, or 0; `is`: the named record, `stub` if it may be fetched. */
export type Subject = NamedPost & { author: number; is: PostByUri['is'] }

export const NOTHING: SkeletonPage<never> = { items: [], cursor: undefined }

const FETCHED: ReadonlySet<string> = new Set([...recordCollections, 'app.bsky.graph.list'])

export function namedSubject(
  app: Needs<'actors' | 'postsByUri' | 'records'>,
  { params, reader }: Call<Params>,
): Subject {
  const post = namedPost(app, params.uri)
  const author = app.actors.uidOf(post.uri.split('/')[2] ?? '')
  const is = author === 0 ? 'stub' : stateOf(app, post.uri, author)
  if (is === 'stub') reader.missing.add({ uris: [post.uri] })
  return { ...post, author, is }
}

function stateOf(
  { postsByUri, records }: Needs<'postsByUri' | 'records'>,
  uri: string,
  uid: number,
): Subject['is'] {
  if (isPostUri(uri)) return postsByUri([uri]).get(uri)?.is ?? 'stub'
  const key = parseRecordUri(uri)
  if (!key || !FETCHED.has(key.collection)) return 'present'
  return records.find({ ...key, uid }) === undefined ? 'stub' : 'present'
}

/**
 * Of others' posts and records, no interactions are here but members'. A record that may be fetched is judged
 * once it has come or is denied; for visitors, none is fetched.
 */
export function isUnheld(
  app: Needs<'actors' | 'postsByUri' | 'scope'>,
  { uri, author, is }: Subject,
  { viewer }: Pick<Call, 'viewer'>,
): boolean {
  if (author === 0 || is === 'gone' || (is === 'stub' && viewer)) return false
  return isPostUri(uri) ? !isStoredPost(app, uri) : !isStoredAccount(app, author)
}

export function echoed({ params: { uri, cid } }: Call<Params>): Params {
  return { uri, cid }
}
