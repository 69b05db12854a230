// app.bsky.unspecced.getTrendingTopics: the same hashtags as getTrends, by name alone.

import type { AppBskyUnspeccedGetTrendingTopics } from '@atproto/api'
import type { Method } from '../../../method.ts'
import type { Serving } from '../../../serving.ts'
import { tagLink } from '../../../tag-link.ts'

type Params = AppBskyUnspeccedGetTrendingTopics.QueryParams & { limit: number }

export function getTrendingTopics({ trends }: Serving): Method<Params> {
  return {
    nsid: 'app.bsky.unspecced.getTrendingTopics',
    kind: 'query',
    auth: 'optional',
    partly: 'hashtags by our own count, without `suggested`',
    handler: ({ params }) => {
      const topics = trends
        .now()
        .slice(0, params.limit)
        .map(({ tag }) => ({ topic: tag, displayName: `#${tag}`, link: tagLink(tag) }))
      return { body: { topics, suggested: [] } }
    },
  }
}
