// app.bsky.feed.getPosts: posts by at-URI. Leaves out missing and blocked posts.

import type { AppBskyFeedGetPosts } from '@atproto/api'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { isPostUri, postIdOf } from '../../../post-names.ts'

export const getPosts = query(
  'app.bsky.feed.getPosts',
  { auth: 'optional', acceptsLxm: (lxm) => lxm.startsWith('chat.bsky.') },
  (app, { params, reader }: Call<AppBskyFeedGetPosts.QueryParams>) => {
    const uris = [...new Set(params.uris)]
    const ids = uris.map((uri) => postIdOf(app, uri))
    const known = ids.filter((id) => id !== 0)
    const posts = app.viewCache.posts(known, reader).filter((post) => post !== undefined)
    reader.missing.add({ uris: uris.filter((uri, i) => ids[i] === 0 && isPostUri(uri)) })
    return { body: { posts } }
  },
)
