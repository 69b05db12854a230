// Metrics of the off-site backup: how old what is stored is, as times, so that an alert needs no memory.

import { dirname } from 'node:path'
import { counter, gauge, type MetricSource, single } from '../../base/obs/metric.ts'
import type { MetricContext } from '../../http/metrics/metrics.ts'
import { readStatus } from './status.ts'

export function offSiteMetrics({ db }: Pick<MetricContext, 'db'>): MetricSource[] {
  const status = () => readStatus(dirname(db.name))
  const seconds = (ms: number | undefined) => single(ms === undefined ? undefined : ms / 1000)
  return [
    gauge(
      'off_site_state_timestamp_seconds',
      'The time of the database’s newest state that can be restored from the off-site backup.',
      () => seconds(status()?.stateAt),
    ),
    gauge(
      'off_site_private_timestamp_seconds',
      'The time of members’ private state in the off-site backup.',
      () => seconds(status()?.privateAt),
    ),
    gauge('off_site_base_timestamp_seconds', 'The time of the last whole off-site copy.', () =>
      seconds(status()?.base?.at),
    ),
    gauge('off_site_trial_timestamp_seconds', 'The time of the last trial restore.', () =>
      seconds(status()?.trial?.at),
    ),
    gauge('off_site_trial_ok', 'Whether the last trial restore succeeded: 1 or 0.', () => {
      const trial = status()?.trial
      return single(trial && Number(trial.ok))
    }),
    gauge('off_site_stored_bytes', 'Chunks of whole copies in the off-site store.', () =>
      single(status()?.stored?.bytes),
    ),
    counter('off_site_sent_bytes_total', 'Sent to the off-site store since the start.', () =>
      single(status()?.sentBytes),
    ),
    counter(
      'off_site_failures_total',
      'Attempts to send or to restore that failed since the start.',
      () => single(status()?.failures),
    ),
  ]
}
