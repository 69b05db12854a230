// The reading side: routes of pictures and videos in each serving thread, their metrics, and what the operator sees
// of them.

import type { ServeContext, ServeFeature, ServePart } from '../../http/feature.ts'
import { mediaConfig } from './media-config.ts'
import { type MediaCounts, mediaRoutes } from './media-routes.ts'
import { mediaMetrics } from './metrics.ts'
import { aboutPins } from './pins/about-pins.ts'
import { mediaReport } from './report.ts'
import { createSharedMedia, type SharedMedia } from './shared-media.ts'
import { getStats } from './watches/getStats.ts'
import { videosWatched } from './watches/videos-watched.ts'

export const serve: ServeFeature = {
  methods: (config) => [getStats(mediaConfig(config))],
  metrics: mediaMetrics,
  createShared: createSharedMedia,
  report: mediaReport,
  overview: aboutPins,
  exploreRoutes(app, { db }) {
    app.get('/videos', (c) => c.json({ days: videosWatched(db) }))
  },
  start: startMedia,
}

function startMedia(context: ServeContext): ServePart {
  const { config, log, db, actors, resolver, ingest, thread } = context
  const shared = context.shared as SharedMedia
  const media = mediaRoutes(mediaConfig(config), {
    log,
    db,
    actors,
    resolver,
    ingest,
    thread,
    shared,
  })
  return {
    routes: media.routes,
    gauges: () => gaugesOf(media.counts()),
    close: media.close,
  }
}

function gaugesOf(counts: MediaCounts): ReturnType<NonNullable<ServePart['gauges']>> {
  return {
    'media.refused': counts.refused,
    'media.died': counts.died,
    'media.pending': counts.pending,
    'media.pinned_bytes': counts.pinnedBytes,
    'media.pinned_missing': counts.pinnedMissing,
    'media.playlists_made': counts.made,
    'media.playlists_elsewhere': counts.elsewhere,
    'media.watch_too_many': counts.tooMany,
    'media.watch_unknown': counts.unknown,
    'media.watch_dropped': counts.dropped,
  }
}
