// app.bsky.feed.getPosts: posts by at-URI. Leaves out missing and blocked posts.

import type { AppBskyFeedGetPosts } from '@atproto/api'
import { inParts, inTurns } from '../../../../../base/util/turn.ts'
import type { Call } from '../../../call.ts'
import { type Needs, query } from '../../../define.ts'
import { isPostUri, postIdOf } from '../../../naming/post-names.ts'

type PostsCall = Call<AppBskyFeedGetPosts.QueryParams>

export const getPosts = query(
  'app.bsky.feed.getPosts',
  { auth: 'optional', isByKeys: true, acceptsLxm: (lxm) => lxm.startsWith('chat.bsky.') },
  (app, call: PostsCall) => inTurns(answer(app, call)),
)

function* answer(
  app: Dependencies,
  { params, reader }: PostsCall,
): Generator<void, { body: object }> {
  const uris = [...new Set(params.uris)]
  const known = uris.map((uri) => postIdOf(app, uri)).filter((id) => id !== 0)
  const options = { knownLikers: 'all' } as const
  const views = yield* inParts(known, (some) => app.viewCache.posts(some, reader, options))
  const posts = views.filter((post) => post !== undefined)
  if (posts.length < uris.length) reader.missing.add({ uris: missingOf(app, uris) })
  return { body: { posts } }
}

type Dependencies = Needs<'actors' | 'postsByUri' | 'records' | 'viewCache'>

/** Those without a record here. */
function missingOf({ postsByUri }: Needs<'postsByUri'>, uris: readonly string[]): string[] {
  const rows = postsByUri(uris)
  return uris.filter((uri) => isPostUri(uri) && (rows.get(uri)?.is ?? 'stub') === 'stub')
}
