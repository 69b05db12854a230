// What features add to the operator's report (status.ts): to its facts, and beside them.

import type { Config } from '../../base/config/config.ts'
import type { Db } from '../../data/store/db.ts'

export type FeatureReport = {
  facts: Readonly<Record<string, unknown>>
  status: Readonly<Record<string, unknown>>
}

export type ReportParts = { db: Db; config: Config }

/** The same with or without a running server. */
export type Reports = {
  report?(parts: ReportParts): Promise<FeatureReport>
}

export async function reportOf(
  features: readonly Reports[],
  parts: ReportParts,
): Promise<FeatureReport> {
  const all = await Promise.all(features.map((feature) => feature.report?.(parts)))
  return {
    facts: Object.assign({}, ...all.map((featureReport) => featureReport?.facts)),
    status: Object.assign({}, ...all.map((featureReport) => featureReport?.status)),
  }
}
