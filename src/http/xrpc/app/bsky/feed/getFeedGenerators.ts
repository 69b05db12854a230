// app.bsky.feed.getFeedGenerators. Never fails: clients wait for it before they show Home.

import type { Call } from '../../../call.ts'
import { query } from '../../../define.ts'
import { generatorViews } from '../../../feeds/visible-generators.ts'

const MAX_FEEDS = 200

export const getFeedGenerators = query(
  'app.bsky.feed.getFeedGenerators',
  { auth: 'optional', isByKeys: true },
  (app, call: Call<{ feeds: string[] }>) => {
    const uris = call.params.feeds.slice(0, MAX_FEEDS)
    return { body: { feeds: generatorViews(app, uris, call) } }
  },
)
