// Common parts of getLikes, getRepostedBy and getQuotes: a post, and a list of interactions with it. Without
// any, a post that is not held is unknown. As in the reference, `cid` is only echoed.

import type { SkeletonPage } from '../../answers/skeleton/skeleton-page.ts'
import { isStoredAccount, isStoredPost } from '../fallback/holdings.ts'
import type { Call } from './call.ts'
import type { Needs } from './define.ts'
import { isPostUri, type NamedPost, namedPost } from './post-names.ts'

type Params = { uri: string; cid?: string }

/** `author` is 0 if it is not indexed; `id` is posts.id, or 0. */
export type Subject = NamedPost & { author: number }

export const NOTHING: SkeletonPage<never> = { items: [], cursor: undefined }

export function namedSubject(
  app: Needs<'actors' | 'records'>,
  { params, reader }: Call<Params>,
): Subject {
  const post = namedPost(app, params.uri)
  if (post.id === 0 && isPostUri(post.uri)) reader.missing.add({ uris: [post.uri] })
  return { ...post, author: app.actors.uidOf(post.uri.split('/')[2] ?? '') }
}

/** Of others' posts and records, no interactions are here but members'. */
export function isUnheld(
  app: Needs<'actors' | 'postsByUri' | 'scope'>,
  { uri, author }: Subject,
): boolean {
  return isPostUri(uri) ? !isStoredPost(app, uri) : !isStoredAccount(app, author)
}

export function echoed({ params: { uri, cid } }: Call<Params>): Params {
  return { uri, cid }
}
