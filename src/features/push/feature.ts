// Pushes: notifications of members' devices (docs/PUSH.md).

import type { ListedFeature } from '../listed-feature.ts'
import { gauges } from './gauges.ts'
import { memberPart } from './member-part.ts'
import { pushSettings } from './settings.ts'
import * as push from './store/027-push.ts'
import * as forgottenAccounts from './store/044-forgotten-accounts.ts'
import * as quietHours from './store/068-quiet-hours.ts'

export const pushFeature: ListedFeature = {
  name: 'push',
  settings: pushSettings,
  migrations: [push, forgottenAccounts, quietHours],
  tables: ['push_registrations', 'push_quiet_hours', 'push_state'],
  memberTables: ['push_registrations', 'push_quiet_hours'],
  memberPart,
  gauges,
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
}
