// app.bsky.feed.searchPosts: post search by words and the parameters of the first version.

import type { AppBskyFeedSearchPosts } from '@atproto/api'
import type { Call } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { foundPosts, postsBody, type SearchParts, shownPostSearch } from '../../../post-search.ts'
import { ofSearchPosts } from '../../../post-search-params.ts'
import { posts } from '../../../present.ts'
import { searchedMethod } from '../../../searched-method.ts'

type Params = AppBskyFeedSearchPosts.QueryParams & { limit: number }

export const searchPosts = searchedMethod(
  'app.bsky.feed.searchPosts',
  { auth: 'optional' },
  {
    about: search,
    skeleton: foundPosts,
    present: posts(),
    body: postsBody,
  },
)

function search(app: SearchParts & Needs<'tagRules'>, call: Call<Params>) {
  return shownPostSearch(app, call, ofSearchPosts(call.params))
}
