// The reading side of For You: it answers Discover and, as a feed generator, other servers; it reports its pages.

import type { Config } from '../../base/config/config.ts'
import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeFeature } from '../../http/feature.ts'
import { DISCOVER_URI } from '../../http/xrpc/feeds/discover-feed.ts'
import { openState } from './engine/layout.ts'
import { createForYouFeed } from './for-you-feed.ts'
import { generatorMethods, generatorService, generatorUri } from './generator.ts'
import { forYouMetrics } from './metrics.ts'
import { forYouSettings } from './settings.ts'
import { createWhy } from './why.ts'

export const serve: ServeFeature = {
  metrics: forYouMetrics,
  postChecks: createWhy,
  methods(config) {
    const publisher = publisherOf(config)
    return publisher === undefined ? [] : generatorMethods(publisher, config.serviceDid)
  },
  didServices: (config) => (isOff(config) ? [] : [generatorService(config.publicOrigin)]),
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
      addresses: own === undefined ? [DISCOVER_URI] : [DISCOVER_URI, own],
      service: config.serviceDid,
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
  return isOff(config) ? undefined : settingsOf(config, forYouSettings).forYouPublisher
}

function isOff(config: Config): boolean {
  return settingsOf(config, forYouSettings).forYouMb === 0
}
