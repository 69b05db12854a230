// The client at /read, and what it needs that no other method tells: where a member stopped reading, and how
// much of a timeline is there (docs/CLIENT.md).

import type { ListedFeature } from '../listed-feature.ts'
import { memberPart } from './member-part.ts'
import * as readingPositions from './store/064-reading-positions.ts'

export const readFeature: ListedFeature = {
  name: 'read',
  migrations: [readingPositions],
  tables: ['reading_positions'],
  memberTables: ['reading_positions'],
  memberPart,
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => (await import('./serve.ts')).serve,
}
