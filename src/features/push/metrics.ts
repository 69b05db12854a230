// Metrics of pushes to members' devices: their outcomes, but not their recipients.

import { byLabel, counter, gauge, type MetricSource, single } from '../../base/obs/metric.ts'
import { sumOfThreads } from '../../http/metrics/thread-samples.ts'

export function pushMetrics({ requests }: { requests: SharedArrayBuffer }): MetricSource[] {
  return [
    counter(
      'pushes_total',
      'Pushes by outcome: sent; gone (the device was deleted); refused by the service; failed after retries; dropped for lack of room.',
      () =>
        byLabel('outcome', {
          sent: sumOfThreads(requests, 'pushSent'),
          gone: sumOfThreads(requests, 'pushGone'),
          refused: sumOfThreads(requests, 'pushRefused'),
          failed: sumOfThreads(requests, 'pushFailed'),
          dropped: sumOfThreads(requests, 'pushDropped'),
        }),
    ),
    gauge('pushes_pending', 'Pushes in flight, or waiting for a retry.', () =>
      single(sumOfThreads(requests, 'pushPending')),
    ),
  ]
}
