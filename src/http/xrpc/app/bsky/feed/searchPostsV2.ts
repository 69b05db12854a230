// app.bsky.feed.searchPostsV2: post search by words and filters; for each kind of filter, one value must
// match. Searches the whole index, with or without `allTime`.

import type { AppBskyFeedSearchPostsV2 } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import type { Call } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { postIdOf } from '../../../naming/post-names.ts'
import { posts } from '../../../paging/present.ts'
import {
  foundPosts,
  hasConditions,
  postsBody,
  presentedPostSearch,
  type SearchContext,
} from '../../../search/post-search.ts'
import { ofSearchPostsV2 } from '../../../search/post-search-params.ts'
import { searchedMethod } from '../../../search/searched-method.ts'
import { awaitingAuthor } from '../../../search/strangers-posts.ts'

type Params = AppBskyFeedSearchPostsV2.QueryParams & { limit: number }

const ofAuthor = awaitingAuthor<Params>((params) => ofSearchPostsV2(params, () => 0))

export const searchPostsV2 = searchedMethod(
  'app.bsky.feed.searchPostsV2',
  { auth: 'optional', ready: ofAuthor.ready },
  {
    about: search,
    skeleton: foundPosts,
    present: posts(),
    isUnknown: ofAuthor.isUnknown,
    body: postsBody,
  },
)

function search(app: SearchContext & Needs<'records' | 'tagRules'>, call: Call<Params>) {
  const { params } = call
  if (params.excludeReplies && params.repliesOnly) {
    throw invalidRequest('excludeReplies and repliesOnly exclude each other', 'BadQueryString')
  }
  const requested = ofSearchPostsV2(params, (uri) => postIdOf(app, uri))
  if (requested.query.trim() === '' && !hasConditions(requested)) {
    throw invalidRequest('A query or at least one filter is required', 'BadQueryString')
  }
  return presentedPostSearch(app, call, requested)
}
