// app.bsky.feed.getPosts: posts by at-URI. Leaves out missing and blocked posts.

import type { AppBskyFeedGetPosts } from '@atproto/api'
import type { Call } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import { isPostUri, postIdOf } from '../../../naming/post-names.ts'

export const getPosts = query(
  'app.bsky.feed.getPosts',
  { auth: 'optional', isByKeys: true, acceptsLxm: (lxm) => lxm.startsWith('chat.bsky.') },
  (app, { params, reader }: Call<AppBskyFeedGetPosts.QueryParams>) => {
    const uris = [...new Set(params.uris)]
    const known = uris.map((uri) => postIdOf(app, uri)).filter((id) => id !== 0)
    const posts = app.viewCache
      .posts(known, reader, { knownLikers: 'all' })
      .filter((post) => post !== undefined)
    if (posts.length < uris.length) reader.missing.add({ uris: missingOf(app, uris) })
    return { body: { posts } }
  },
)

/** Those without a record here. */
function missingOf({ postsByUri }: Needs<'postsByUri'>, uris: readonly string[]): string[] {
  const rows = postsByUri(uris)
  return uris.filter((uri) => isPostUri(uri) && (rows.get(uri)?.is ?? 'stub') === 'stub')
}
