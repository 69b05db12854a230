import { byLabel, counter, gauge, type MetricSource, single } from '../../base/obs/metric.ts'
import type { MetricContext } from '../../http/metrics/metrics.ts'
import { archiveIn } from './archive-status.ts'

/** Only if ingestion starts from the archive; otherwise without samples. */
export function archiveMetrics({ status }: Pick<MetricContext, 'status'>): MetricSource[] {
  const archive = () => archiveIn(status())
  return [
    gauge('archive_done_ratio', 'Progress of the archive, from 0 to 1.', () =>
      single(archive() && archive()!.percent / 100),
    ),
    counter('archive_received_bytes_total', 'Bytes received from the archive.', () =>
      single(archive()?.bytes),
    ),
    gauge('archive_waiting', '1 while reading the archive waits, by reason.', () => {
      const waiting = archive()?.waiting
      return waiting ? byLabel('why', { [waiting.why]: 1 }) : []
    }),
  ]
}
