// Metrics of pushes to members' devices: their outcomes, but not their recipients.

import { byLabel, counter, gauge, type MetricSource, single } from '../../base/obs/metric.ts'
import { sumOfThreads } from '../../http/metrics/thread-samples.ts'

export function pushMetrics({ requests }: { requests: SharedArrayBuffer }): MetricSource[] {
  return [
    counter(
      'pushes_total',
      'Pushes by outcome: sent; gone (the device was deleted); refused by the service; failed after retries; dropped because too many wait.',
      () =>
        byLabel('outcome', {
          sent: sumOfThreads(requests, 'push.sent'),
          gone: sumOfThreads(requests, 'push.gone'),
          refused: sumOfThreads(requests, 'push.refused'),
          failed: sumOfThreads(requests, 'push.failed'),
          dropped: sumOfThreads(requests, 'push.dropped'),
        }),
    ),
    gauge('pushes_pending', 'Pushes in flight, or waiting for a retry.', () =>
      single(sumOfThreads(requests, 'push.pending')),
    ),
  ]
}
