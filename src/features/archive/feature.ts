// A start from the archive of a Jetstream host: the network's history is read first, then the stream
// (docs/OPERATING.md).

import type { ListedFeature } from '../listed-feature.ts'
import { archiveSettings } from './settings.ts'
import * as archives from './store/017-archives.ts'
import { unfitArchive } from './unfit-archive.ts'

export const archiveFeature: ListedFeature = {
  name: 'archive',
  settings: archiveSettings,
  unfit: unfitArchive,
  migrations: [archives],
  tables: ['archives'],
  ingest: async () => (await import('./ingest.ts')).ingest,
  serve: async () => ({ metrics: (await import('./metrics.ts')).archiveMetrics }),
}
