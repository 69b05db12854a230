// app.bsky.feed.getFeedGenerator: one feed, and whether it has a service. As in the reference, a generator
// counts as online if its DID document names a service; whether that answers shows when the feed is read.

import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { noSuchFeed } from '../../../feeds/feed-generator.ts'
import { generatorViews } from '../../../feeds/visible-generators.ts'

export const getFeedGenerator = query(
  'app.bsky.feed.getFeedGenerator',
  { auth: 'optional', isByKeys: true },
  async (app, call: Call<{ feed: string }>) => {
    const { feed } = call.params
    const view = generatorViews(app, [feed], call)[0]
    if (!view) throw noSuchFeed()
    if (!app.ownFeeds.of(feed)) await app.generators.endpointOf(view.did, call)
    return { body: { view, isOnline: true, isValid: true } }
  },
)
