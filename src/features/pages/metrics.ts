import { gauge, type MetricSource, single } from '../../base/obs/metric.ts'
import { sumOfThreads } from '../../http/metrics/thread-samples.ts'

export function pagesMetrics({ requests }: { requests: SharedArrayBuffer }): MetricSource[] {
  return [
    gauge('live_listeners', 'Browsers with the status page open.', () =>
      single(sumOfThreads(requests, 'pages.listeners')),
    ),
  ]
}
