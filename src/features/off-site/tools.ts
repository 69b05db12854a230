// The command line's part: options of `slipstream backup` and `slipstream restore`, and what the doctor and
// `slipstream stats` say.

import type { ToolsFeature } from '../../tools/feature.ts'
import { backupOptions } from './commands/backup.ts'
import { restoreOptions } from './commands/restore.ts'
import { offSiteReport } from './report.ts'
import { offSiteLines } from './stats-lines.ts'

export const tools: ToolsFeature = {
  further: { backup: backupOptions, restore: restoreOptions },
  report: offSiteReport,
  statsLines: offSiteLines,
  checks: [
    {
      area: 'disk',
      // Imported late: it loads slowly, and other commands don't need it.
      run: async (doctor) => (await import('./doctor.ts')).checkOffSite(doctor),
    },
  ],
}
