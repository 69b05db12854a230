// The off-site backup in `slipstream stats`.

import { duration } from '../../base/util/format.ts'
import type { FeatureReport } from '../../http/operator/feature-report.ts'
import { megabytes } from '../../tools/cli/terminal.ts'
import type { OffSiteStatus } from './status.ts'

export function offSiteLines(
  { facts }: FeatureReport,
  now = Date.now(),
): [name: string, value: string][] {
  const found = facts['offSite'] as OffSiteStatus | undefined
  if (!found) return []
  const age = (at: number) => `${duration(now - at)} old`
  const state = found.stateAt === undefined ? 'no whole copy yet' : age(found.stateAt)
  const stored = found.stored ? `, ${megabytes(found.stored.bytes)} stored` : ''
  const problem = found.problem ? `; failing: ${found.problem.message}` : ''
  return [['off-site backup', `${state}${stored}${problem}`]]
}
