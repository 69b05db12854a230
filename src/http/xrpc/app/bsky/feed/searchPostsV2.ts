// app.bsky.feed.searchPostsV2: posts by words and filters; of each kind of filter one value has to fit.
// Everything that is indexed is searched, with or without `allTime`.

import type { AppBskyFeedSearchPostsV2 } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { term } from '../../../../../data/search/post-terms.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import {
  answerPostSearch,
  hasConditions,
  type PostSearchParams,
  postIdOf,
} from '../../../post-search.ts'

type Params = AppBskyFeedSearchPostsV2.QueryParams & { limit: number }

export function searchPostsV2(serving: AppContext): Method<Params> {
  return {
    nsid: 'app.bsky.feed.searchPostsV2',
    kind: 'query',
    auth: 'optional',
    handler: async (context) => {
      const { params } = context
      const viewer = viewerOf(serving.actors, context.viewer)
      if (params.excludeReplies && params.repliesOnly) {
        throw invalidRequest('excludeReplies and repliesOnly exclude each other', 'BadQueryString')
      }
      const request = toParams(serving, params)
      if (request.query.trim() === '' && !hasConditions(request)) {
        throw invalidRequest('A query or at least one filter is required', 'BadQueryString')
      }
      const body = await answerPostSearch(serving, viewer, request)
      return { body, headers: labelerHeaders(context) }
    },
  }
}

function toParams(serving: AppContext, params: Params): PostSearchParams {
  const { limit, cursor, since, until, following } = params
  return {
    ...{ query: params.query ?? '', limit, cursor, since, until, following },
    sort: params.sort === 'recent' ? 'latest' : 'top',
    included: {
      authors: params.authors,
      mentions: params.mentions,
      domains: params.domains,
      urls: params.urls,
      hashtags: params.hashtags,
      languages: params.languages,
      embeddedAtUris: params.embeddedAtUris,
    },
    excluded: {
      authors: params.excludeAuthors,
      mentions: params.excludeMentions,
      domains: params.excludeDomains,
      urls: params.excludeUrls,
      hashtags: params.excludeHashtags,
      languages: params.excludeLanguages,
      embeddedAtUris: params.excludeEmbeddedAtUris,
    },
    terms: [
      ...(params.hasMedia ? [term.media] : []),
      ...(params.hasVideo ? [term.video] : []),
      ...(params.repliesOnly ? [term.reply] : []),
      ...inThread(serving, params.replyParentUri, term.parent),
      ...inThread(serving, params.threadRootUri, term.root),
    ],
    notTerms: params.excludeReplies ? [term.reply] : [],
  }
}

/** An empty term, which is of no post, where there is no such post. */
function inThread(
  serving: AppContext,
  uri: string | undefined,
  termOf: (id: number) => string,
): string[] {
  if (uri === undefined) return []
  const id = postIdOf(serving, uri)
  return [id === 0 ? '' : termOf(id)]
}
