// app.bsky.unspecced.getTrendingTopics: the same hashtags as getTrends, by name alone; and as suggestions the
// feeds that most people here like, but for those of somebody in a block with the viewer.

import type { AppBskyUnspeccedGetTrendingTopics } from '@atproto/api'
import type { Viewer } from '../../../../../answers/hydrate/types.ts'
import { generatorView } from '../../../../../answers/views/generator-view.ts'
import { viewerBlocks } from '../../../../../answers/views/rules.ts'
import { parseRecordUri } from '../../../../../base/atproto/at-uri.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { tagLink } from '../../../tag-link.ts'

type Params = AppBskyUnspeccedGetTrendingTopics.QueryParams & { limit: number }

const GENERATOR = 'app.bsky.feed.generator'

export function getTrendingTopics(serving: AppContext): Method<Params> {
  const { actors, trends } = serving
  return {
    nsid: 'app.bsky.unspecced.getTrendingTopics',
    kind: 'query',
    auth: 'optional',
    handler: ({ params, viewer }) => {
      const topics = trends
        .now()
        .slice(0, params.limit)
        .map(({ tag }) => ({ topic: tag, displayName: `#${tag}`, link: tagLink(tag) }))
      const suggested = suggestedFeeds(serving, viewerOf(actors, viewer), params.limit)
      return { body: { topics, suggested } }
    },
  }
}

function suggestedFeeds({ hydrator, popularRecords }: AppContext, viewer: Viewer, limit: number) {
  const { uris } = popularRecords({ collection: GENERATOR, limit, cursor: undefined })
  const state = hydrator.records(uris, viewer)
  return uris.flatMap((uri) => {
    const view = generatorView(state, uri)
    const key = parseRecordUri(uri)
    if (!view || !key || viewerBlocks(state, state.records.get(uri)?.uid ?? 0)) return []
    const { displayName, description } = view
    const link = `/profile/${key.did}/feed/${key.rkey}`
    return [{ topic: displayName, displayName, description, link }]
  })
}
