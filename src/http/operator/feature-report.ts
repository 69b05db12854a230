// What features add to the operator's report (status.ts): to its facts, and beside them.

import type { Config } from '../../base/config/config.ts'
import type { Db } from '../../data/store/db.ts'

export type FeatureReport = {
  facts: Readonly<Record<string, unknown>>
  status: Readonly<Record<string, unknown>>
}

export type ReportContext = { db: Db; config: Config }

/** The same with or without a running server. */
export type Reports = {
  report?(context: ReportContext): Promise<FeatureReport>
}

export async function reportOf(
  features: readonly Reports[],
  context: ReportContext,
): Promise<FeatureReport> {
  const all = await Promise.all(features.map((feature) => feature.report?.(context)))
  return {
    facts: Object.assign({}, ...all.map((featureReport) => featureReport?.facts)),
    status: Object.assign({}, ...all.map((featureReport) => featureReport?.status)),
  }
}
