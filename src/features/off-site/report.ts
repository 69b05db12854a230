import { settingsOf } from '../../base/config/every-setting.ts'
import type { FeatureReport, ReportContext } from '../../http/operator/feature-report.ts'
import { offSiteSettings } from './settings.ts'
import { readStatus } from './status.ts'

/** What the operator's report says of the off-site backup, if there is one. */
export async function offSiteReport({ config }: ReportContext): Promise<FeatureReport> {
  const { offSiteTo } = settingsOf(config, offSiteSettings)
  const offSite = offSiteTo === undefined ? undefined : readStatus(config.dataDir)
  return { facts: { ...(offSite && { offSite }) }, status: {} }
}
