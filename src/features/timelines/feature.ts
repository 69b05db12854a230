// Timelines for programs: pages, streams and merges under /v1, timelines and graphs that programs write (docs/TIMELINES.md).

import type { ListedFeature } from '../listed-feature.ts'
import * as timelines from './store/026-timelines.ts'
import * as customGraphs from './store/029-custom-graphs.ts'
import * as sharedTimelines from './store/031-shared-timelines.ts'
import * as timelineCursors from './store/042-timeline-cursors.ts'
import * as customTimelineBytes from './store/043-custom-timeline-bytes.ts'
import * as forgottenAccounts from './store/044-forgotten-accounts.ts'

export const timelinesFeature: ListedFeature = {
  name: 'timelines',
  migrations: [
    timelines,
    customGraphs,
    sharedTimelines,
    timelineCursors,
    customTimelineBytes,
    forgottenAccounts,
  ],
  tables: [
    'custom_timelines',
    'custom_events',
    'custom_producers',
    'custom_holes',
    'custom_keys',
    'custom_graphs',
    'custom_graph_accounts',
    'custom_graph_edges',
    'shared_timelines',
    'timeline_cursors',
    'service_tokens',
    'signing_keys',
  ],
  memberTables: ['timeline_cursors'],
  arrivals: [{ table: 'custom_keys', at: 'received_at' }],
  webRoutes: ['timelines', 'timeline-pages', 'timeline-posts', 'graph'],
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
  tools: async () => (await import('./tools.ts')).tools,
}
