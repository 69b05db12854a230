// app.bsky.feed.searchPostsV2: posts by words and filters; of each kind of filter one value has to fit.
// Everything that is indexed is searched, with or without `allTime`.

import type { AppBskyFeedSearchPostsV2 } from '@atproto/api'
import { invalidRequest } from '../../../../../base/atproto/xrpc-error.ts'
import { term } from '../../../../../data/search/post-terms.ts'
import type { Call } from '../../../call.ts'
import type { Needs } from '../../../define.ts'
import { pagedMethod } from '../../../paged-method.ts'
import { postIdOf } from '../../../post-names.ts'
import {
  foundPosts,
  hasConditions,
  type PostSearchParams,
  postSearch,
  postsBody,
  type SearchParts,
} from '../../../post-search.ts'
import { posts } from '../../../present.ts'

type Params = AppBskyFeedSearchPostsV2.QueryParams & { limit: number }

export const searchPostsV2 = pagedMethod(
  'app.bsky.feed.searchPostsV2',
  { auth: 'optional' },
  {
    about: search,
    skeleton: foundPosts,
    present: posts(),
    body: postsBody,
  },
)

function search(app: SearchParts & Needs<'records'>, { params, viewer }: Call<Params>) {
  if (params.excludeReplies && params.repliesOnly) {
    throw invalidRequest('excludeReplies and repliesOnly exclude each other', 'BadQueryString')
  }
  const asked = toParams(app, params)
  if (asked.query.trim() === '' && !hasConditions(asked)) {
    throw invalidRequest('A query or at least one filter is required', 'BadQueryString')
  }
  return postSearch(app, viewer, asked)
}

function toParams(app: Needs<'actors' | 'records'>, params: Params): PostSearchParams {
  const { since, until, following } = params
  return {
    ...{ query: params.query ?? '', since, until, following },
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
      ...inThread(app, params.replyParentUri, term.parent),
      ...inThread(app, params.threadRootUri, term.root),
    ],
    notTerms: params.excludeReplies ? [term.reply] : [],
  }
}

/** An empty term, which is of no post, where there is no such post. */
function inThread(
  app: Needs<'actors' | 'records'>,
  uri: string | undefined,
  termOf: (id: number) => string,
): string[] {
  if (uri === undefined) return []
  const id = postIdOf(app, uri)
  return [id === 0 ? '' : termOf(id)]
}
