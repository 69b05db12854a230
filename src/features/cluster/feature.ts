// Several nodes that share members, their private state, timelines and decisions on a CQL engine (docs/CLUSTER.md).

import type { ListedFeature } from '../listed-feature.ts'
import { gauges } from './gauges.ts'
import { clusterSettings, unfitEngine } from './settings.ts'
import * as sharedState from './store/028-shared-state.ts'
import * as sharedPlace from './store/035-shared-place.ts'
import * as forgottenAccounts from './store/044-forgotten-accounts.ts'

export const clusterFeature: ListedFeature = {
  name: 'cluster',
  settings: clusterSettings,
  unfit: unfitEngine,
  migrations: [sharedState, sharedPlace, forgottenAccounts],
  tables: ['shared_state', 'shared_places', 'shared_keys'],
  membershipTables: ['shared_state'],
  gauges,
  rows: async () => (await import('./rows.ts')).rows,
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
  tools: async () => (await import('./tools.ts')).tools,
}
