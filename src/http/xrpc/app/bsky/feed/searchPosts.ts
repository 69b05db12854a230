// app.bsky.feed.searchPosts: posts by words and by the parameters of the first version.

import type { AppBskyFeedSearchPosts } from '@atproto/api'
import type { Call } from '../../../call.ts'
import { pagedMethod } from '../../../paged-method.ts'
import { foundPosts, postSearch, postsBody, type SearchParts } from '../../../post-search.ts'
import { ofSearchPosts } from '../../../post-search-params.ts'
import { posts } from '../../../present.ts'

type Params = AppBskyFeedSearchPosts.QueryParams & { limit: number }

export const searchPosts = pagedMethod(
  'app.bsky.feed.searchPosts',
  { auth: 'optional' },
  {
    about: search,
    skeleton: foundPosts,
    present: posts(),
    body: postsBody,
  },
)

function search(app: SearchParts, { params, viewer }: Call<Params>) {
  return postSearch(app, viewer, ofSearchPosts(params))
}
