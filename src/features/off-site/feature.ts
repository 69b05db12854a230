// The off-site backup: everything that is only on this machine, encrypted, in an S3-compatible store (README.md).

import type { ListedFeature } from '../listed-feature.ts'
import { missingIn } from './missing.ts'
import { offSiteSettings } from './settings.ts'
import { FOLDER } from './status.ts'

export const offSiteFeature: ListedFeature = {
  name: 'off-site',
  settings: offSiteSettings,
  unfit: missingIn,
  dataFiles: [FOLDER],
  serve: async () => (await import('./serve.ts')).serve,
  tools: async () => (await import('./tools.ts')).tools,
}
