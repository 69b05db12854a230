// app.bsky.feed.searchPosts: posts by words and by the parameters of the first version. Of several tags
// all have to be there.

import type { AppBskyFeedSearchPosts } from '@atproto/api'
import { term } from '../../../../../data/search/post-terms.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { answerPostSearch, MAX_NAMED, type PostSearchParams } from '../../../post-search.ts'

type Params = AppBskyFeedSearchPosts.QueryParams & { limit: number }

export function searchPosts(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.feed.searchPosts',
    kind: 'query',
    auth: 'optional',
    handler: async (context) => {
      const viewer = viewerOf(serving.actors, context.viewer)
      const body = await answerPostSearch(serving, viewer, toParams(context.params))
      return { body, headers: labelerHeaders(context) }
    },
  }
}

function toParams(params: Params): PostSearchParams {
  const { q, limit, cursor, since, until, sort } = params
  const one = (value: string | undefined) => (value === undefined ? undefined : [value])
  return {
    ...{ query: q, limit, cursor, since, until },
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
