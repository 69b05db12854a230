// For You: posts by people who liked what a member liked (docs/FOR-YOU.md).

import type { ListedFeature } from '../listed-feature.ts'
import { gauges } from './gauges.ts'
import { memberPart } from './member-part.ts'
import { forYouSettings } from './settings.ts'
import * as forYou from './store/060-for-you.ts'

export const forYouFeature: ListedFeature = {
  name: 'for-you',
  settings: forYouSettings,
  migrations: [forYou],
  tables: ['for_you_seen', 'for_you_less'],
  memberTables: ['for_you_seen', 'for_you_less'],
  memberPart,
  dataFiles: ['for-you.snapshot'],
  gauges,
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
  tools: async () => (await import('./tools.ts')).tools,
}
