// app.bsky.feed.searchPosts: post search by words and the parameters of the first version.

import type { AppBskyFeedSearchPosts } from '@atproto/api'
import type { Call } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { posts } from '../../../paging/present.ts'
import {
  foundPosts,
  postsBody,
  presentedPostSearch,
  type SearchContext,
} from '../../../search/post-search.ts'
import { ofSearchPosts } from '../../../search/post-search-params.ts'
import { searchedMethod } from '../../../search/searched-method.ts'
import { awaitingAuthor } from '../../../search/strangers-posts.ts'

type Params = AppBskyFeedSearchPosts.QueryParams & { limit: number }

const ofAuthor = awaitingAuthor<Params>(ofSearchPosts)

export const searchPosts = searchedMethod(
  'app.bsky.feed.searchPosts',
  { auth: 'optional', ready: ofAuthor.ready },
  {
    about: search,
    skeleton: foundPosts,
    present: posts(),
    isUnknown: ofAuthor.isUnknown,
    body: postsBody,
  },
)

function search(app: SearchContext & Needs<'tagRules'>, call: Call<Params>) {
  return presentedPostSearch(app, call, ofSearchPosts(call.params))
}
