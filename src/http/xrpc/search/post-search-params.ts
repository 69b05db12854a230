// Maps the parameters of searchPosts and searchPostsV2 to one search (post-search.ts): for the methods, and
// for a frontend that forwards the original parameters.

import type { AppBskyFeedSearchPosts, AppBskyFeedSearchPostsV2 } from '@atproto/api'
import { term } from '../../../data/store/search/post-terms.ts'
import { MAX_NAMED, type PostSearchParams } from './post-search.ts'

/** A post must have all of the given tags. */
export function ofSearchPosts(params: AppBskyFeedSearchPosts.QueryParams): PostSearchParams {
  const { q, since, until, sort } = params
  const run = (value: string | undefined) => (value === undefined ? undefined : [value])
  return {
    query: q,
    since,
    until,
    sort: sort === 'top' ? 'top' : 'latest',
    included: {
      authors: run(params.author),
      mentions: run(params.mentions),
      domains: run(params.domain),
      urls: run(params.url),
      languages: run(params.lang),
    },
    excluded: {},
    terms: (params.tag ?? []).slice(0, MAX_NAMED).map(term.tag),
    notTerms: [],
  }
}

/** @param postIdOf - posts.id of an at-URI, 0 if unknown */
export function ofSearchPostsV2(
  params: AppBskyFeedSearchPostsV2.QueryParams,
  postIdOf: (uri: string) => number,
): PostSearchParams {
  const { since, until, following } = params
  const inThread = (uri: string | undefined, termOf: (id: number) => string): string[] => {
    if (uri === undefined) return []
    const id = postIdOf(uri)
    // No post has an empty term.
    return [id === 0 ? '' : termOf(id)]
  }
  return {
    query: params.query ?? '',
    since,
    until,
    following,
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
      ...inThread(params.replyParentUri, term.parent),
      ...inThread(params.threadRootUri, term.root),
    ],
    notTerms: params.excludeReplies ? [term.reply] : [],
  }
}
