// The server's part: the first serving thread has a thread of its own ship while it runs.

import { givenSettings } from '../../base/config/config.ts'
import { settingsOf } from '../../base/config/every-setting.ts'
import type { ServeFeature } from '../../http/feature.ts'
import { offSiteMetrics } from './metrics.ts'
import { offSiteReport } from './report.ts'
import { offSiteSettings } from './settings.ts'
import { shipInThread } from './shipping/in-thread.ts'
import { whereTo } from './where.ts'

export const serve: ServeFeature = {
  metrics: offSiteMetrics,
  report: offSiteReport,
  start({ config, thread, log }) {
    const settings = settingsOf(config, offSiteSettings)
    if (thread !== 0 || settings.offSiteTo === undefined) return {}
    const shipping = shipInThread(
      {
        ...whereTo(config),
        dataDir: config.dataDir,
        everyMs: settings.offSiteSeconds * 1_000,
        keepDays: settings.offSiteKeepDays,
        trialDays: settings.offSiteTrialDays,
        settings: givenSettings(),
      },
      log,
    )
    return { close: shipping.stop }
  },
}
