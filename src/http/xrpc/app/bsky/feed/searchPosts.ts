// app.bsky.feed.searchPosts: posts by words and by the parameters of the first version. Of several tags
// all have to be there.

import type { AppBskyFeedSearchPosts } from '@atproto/api'
import { term } from '../../../../../data/search/post-terms.ts'
import type { Call } from '../../../call.ts'
import { pagedMethod } from '../../../paged-method.ts'
import {
  foundPosts,
  MAX_NAMED,
  type PostSearchParams,
  postSearch,
  postsBody,
  type SearchParts,
} from '../../../post-search.ts'
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
  return postSearch(app, viewer, toParams(params))
}

function toParams(params: Params): PostSearchParams {
  const { q, since, until, sort } = params
  const one = (value: string | undefined) => (value === undefined ? undefined : [value])
  return {
    ...{ query: q, since, until },
    sort: sort === 'top' ? 'top' : 'latest',
    included: {
      authors: one(params.author),
      mentions: one(params.mentions),
      domains: one(params.domain),
      urls: one(params.url),
      languages: one(params.lang),
    },
    excluded: {},
    terms: (params.tag ?? []).slice(0, MAX_NAMED).map(term.tag),
    notTerms: [],
  }
}
