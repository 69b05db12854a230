// The dataplane interface, for an official AppView on top of this server's data (docs/DATAPLANE.md).

import type { ListedFeature } from '../listed-feature.ts'
import { dataplaneSettings, unfitDataplane } from './settings.ts'
import * as bsyncOperations from './store/034-bsync-operations.ts'
import * as forgottenAccounts from './store/044-forgotten-accounts.ts'

export const dataplaneFeature: ListedFeature = {
  name: 'dataplane',
  settings: dataplaneSettings,
  unfit: unfitDataplane,
  migrations: [bsyncOperations, forgottenAccounts],
  tables: ['bsync_operations', 'age_assurance'],
  memberTables: ['age_assurance'],
  memberTablesByDid: ['bsync_operations'],
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
}
