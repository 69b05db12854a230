// app.bsky.feed.getFeedGenerators. Never an error: a client waits for it before it shows Home.

import type { AppBskyFeedGetFeedGenerators } from '@atproto/api'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { generatorsAwaited, generatorViews } from '../../../generators-shown.ts'

const MAX_FEEDS = 200

export function getFeedGenerators(
  serving: AppContext,
): Method<AppBskyFeedGetFeedGenerators.QueryParams> {
  return {
    nsid: 'app.bsky.feed.getFeedGenerators',
    kind: 'query',
    auth: 'optional',
    handler: async (context) => {
      const uris = context.params.feeds.slice(0, MAX_FEEDS)
      const viewer = viewerOf(serving.actors, context.viewer)
      const state = await generatorsAwaited(serving, uris, { viewer, signal: context.signal })
      return { body: { feeds: generatorViews(state, uris) }, headers: labelerHeaders(context) }
    },
  }
}
