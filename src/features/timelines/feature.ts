// Timelines for programs: pages, streams and merges under /v1, timelines and graphs that programs write (docs/TIMELINES.md).

import type { ListedFeature } from '../listed-feature.ts'

export const timelinesFeature: ListedFeature = {
  name: 'timelines',
  webRoutes: ['timelines', 'timeline-pages', 'timeline-posts', 'graph'],
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
  tools: async () => (await import('./tools.ts')).tools,
}
