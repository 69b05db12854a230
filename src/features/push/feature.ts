// Pushes: notifications of members' devices (docs/PUSH.md).

import type { ListedFeature } from '../listed-feature.ts'
import { gauges } from './gauges.ts'
import { pushSettings } from './settings.ts'
import * as push from './store/027-push.ts'
import * as forgottenAccounts from './store/044-forgotten-accounts.ts'

export const pushFeature: ListedFeature = {
  name: 'push',
  settings: pushSettings,
  migrations: [push, forgottenAccounts],
  tables: ['push_registrations', 'push_state'],
  memberTables: ['push_registrations'],
  gauges,
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
}
