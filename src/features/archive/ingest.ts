import { settingsOf } from '../../base/config/every-setting.ts'
import type { IngestFeature } from '../../ingest/feature.ts'
import { createStreamAfterArchive } from './archive-first.ts'
import { archiveSettings } from './settings.ts'

export const ingest: IngestFeature = {
  beginStream(config, parts) {
    const { jetstreamHosts } = config
    const settings = settingsOf(config, archiveSettings)
    return createStreamAfterArchive({ ...settings, jetstreamHosts }, parts)
  },
}
