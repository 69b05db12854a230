// Metrics of what was verified, and of what did not hold.

import { byLabel, counter, type MetricSource } from '../../base/obs/metric.ts'
import type { MetricContext } from '../../http/metrics/metrics.ts'

export function verificationMetrics({ status }: Pick<MetricContext, 'status'>): MetricSource[] {
  const counts = (what: string) => status()?.counts[what]
  return [
    counter(
      'verifications_total',
      'Checks of what Jetstream says, by outcome: proved; complete (nothing was kept back); overtaken by a newer write; unproved (the account’s server did not answer with a proof).',
      () => byLabel('outcome', counts('verification')),
    ),
    counter(
      'unverified_total',
      'What a source said and its account did not sign, by the source’s configured host and the reason.',
      () =>
        Object.entries(counts('unverified') ?? {}).map(([name, value]) => {
          const [host = '', reason = ''] = name.split(' ')
          return { labels: { host, reason }, value }
        }),
    ),
    counter(
      'relay_commits_total',
      'Commits by relay, if all are read at once (RELAY_USE=always): first, repeated (another was first), missed (brought by others only).',
      () =>
        Object.entries(counts('relays') ?? {}).map(([name, value]) => {
          const [host = '', outcome = ''] = name.split(' ')
          return { labels: { host, outcome }, value }
        }),
    ),
  ]
}
