// Pictures and videos of this server's own: fetched, made and served, and how long videos are watched (docs/VIDEO.md).

import type { ListedFeature } from '../listed-feature.ts'
import { gauges } from './gauges.ts'
import { mediaSettings } from './settings.ts'
import * as videoWatches from './store/030-video-watches.ts'
import * as videoDays from './store/033-video-days.ts'
import * as forgottenAccounts from './store/044-forgotten-accounts.ts'

export const mediaFeature: ListedFeature = {
  name: 'media',
  settings: mediaSettings,
  prepare: async (config) => (await import('./prepare.ts')).prepare(config),
  migrations: [videoWatches, videoDays, forgottenAccounts],
  tables: ['video_watches', 'video_days'],
  memberTables: ['video_watches'],
  gauges,
  webRoutes: ['media'],
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
  tools: async () => (await import('./tools.ts')).tools,
}
