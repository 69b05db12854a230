// The reading side of For You: it answers Discover, and reports its pages.

import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeFeature } from '../../http/feature.ts'
import { isDiscover } from '../../http/xrpc/discover-feed.ts'
import { openState } from './engine/layout.ts'
import { createForYouFeed } from './for-you-feed.ts'
import { forYouMetrics } from './metrics.ts'
import { forYouSettings } from './settings.ts'

export const serve: ServeFeature = {
  metrics: forYouMetrics,
  start(parts) {
    const { forYouMb } = settingsOf(parts.config, forYouSettings)
    const buffer = parts.memory.features?.['for-you']
    if (forYouMb === 0 || !buffer) return {}
    const { db, actors, graph, writer, log, app } = parts
    const state = openState(buffer)
    const isNamed = isDiscover
    const feed = createForYouFeed({
      db,
      actors,
      graph,
      writer,
      log,
      app,
      state,
      isNamed,
      now: Date.now,
    })
    return {
      feeds: [feed],
      gauges: () => ({
        'for-you.pages': feed.counts.pages,
        'for-you.first_pages': feed.counts.firstPages,
        'for-you.empty': feed.counts.empty,
      }),
    }
  },
}
