// app.bsky.feed.getFeedGenerator: one feed, and whether there is a service that makes it. As in the
// reference a generator whose DID document names one counts as online: whether it answers shows when
// the feed is read.

import type { AppBskyFeedGetFeedGenerator } from '@atproto/api'
import { generatorView } from '../../../../../answers/views/generator-view.ts'
import { labelerHeaders } from '../../../../server/answer-headers.ts'
import type { Method } from '../../../../server/method.ts'
import { type AppContext, viewerOf } from '../../../app-context.ts'
import { noSuchFeed } from '../../../feed-generator.ts'
import { generatorsAwaited } from '../../../generators-shown.ts'

export function getFeedGenerator(
  serving: AppContext,
): Method<AppBskyFeedGetFeedGenerator.QueryParams> {
  const { generators } = serving
  return {
    nsid: 'app.bsky.feed.getFeedGenerator',
    kind: 'query',
    auth: 'optional',
    handler: async (context) => {
      const { feed } = context.params
      const viewer = viewerOf(serving.actors, context.viewer)
      const state = await generatorsAwaited(serving, [feed], { viewer, signal: context.signal })
      const view = generatorView(state, feed)
      if (!view) throw noSuchFeed()
      await generators.endpointOf(view.did)
      const body = { view, isOnline: true, isValid: true }
      return { body, headers: labelerHeaders(context) }
    },
  }
}
