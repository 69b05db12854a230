// Several nodes that share members, their private state, timelines and decisions on a CQL engine (docs/CLUSTER.md).

import type { ListedFeature } from '../listed-feature.ts'
import { gauges } from './gauges.ts'
import { clusterSettings, unfitEngine } from './settings.ts'

export const clusterFeature: ListedFeature = {
  name: 'cluster',
  settings: clusterSettings,
  unfit: unfitEngine,
  gauges,
  rows: async () => (await import('./rows.ts')).rows,
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
  tools: async () => (await import('./tools.ts')).tools,
}
