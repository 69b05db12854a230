// app.bsky.feed.getFeedGenerator: one feed, and whether it has a service. As in the reference, a generator
// counts as online if its DID document names a service; whether that answers shows when the feed is read.

import { generatorView } from '../../../../../answers/views/generator-view.ts'
import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { noSuchFeed } from '../../../feeds/feed-generator.ts'
import { readGenerators } from '../../../feeds/generators-shown.ts'

export const getFeedGenerator = query(
  'app.bsky.feed.getFeedGenerator',
  { auth: 'optional', isByKeys: true },
  async (app, call: Call<{ feed: string }>) => {
    const { feed } = call.params
    const view = generatorView(readGenerators(app, [feed], call), feed)
    if (!view) throw noSuchFeed()
    await app.generators.endpointOf(view.did, call)
    return { body: { view, isOnline: true, isValid: true } }
  },
)
