// The reading side of For You: it answers Discover and, as a feed generator, other servers; it reports its pages.

import type { Config } from '../../base/config/config.ts'
import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeFeature } from '../../http/feature.ts'
import { isDiscover } from '../../http/xrpc/feeds/discover-feed.ts'
import { openState } from './engine/layout.ts'
import { createForYouFeed } from './for-you-feed.ts'
import { generatorMethods, generatorService, generatorUri } from './generator.ts'
import { forYouMetrics } from './metrics.ts'
import { forYouSettings } from './settings.ts'

export const serve: ServeFeature = {
  metrics: forYouMetrics,
  methods(config) {
    const publisher = publisherOf(config)
    return publisher === undefined ? [] : generatorMethods(publisher, config.serviceDid)
  },
  didServices: (config) =>
    publisherOf(config) === undefined ? [] : [generatorService(config.publicOrigin)],
  start(parts) {
    const { config, memory, db, actors, graph, writer, log, app, isMember, serviceAuth } = parts
    const buffer = memory.features?.['for-you']
    if (!buffer) return {}
    const publisher = publisherOf(config)
    const own = publisher && generatorUri(publisher)
    const feed = createForYouFeed({
      db,
      actors,
      graph,
      writer,
      log,
      app,
      isMember,
      serviceAuth,
      state: openState(buffer),
      isNamed: (uri) => isDiscover(uri) || uri === own,
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

/** Undefined if For You is off or only for members. */
function publisherOf(config: Config): string | undefined {
  const { forYouMb, forYouPublisher } = settingsOf(config, forYouSettings)
  return forYouMb === 0 ? undefined : forYouPublisher
}
