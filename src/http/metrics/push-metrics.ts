// Metrics of pushes to members' devices: their outcomes, but not their recipients.

import { byLabel, counter, gauge, type MetricSource, single } from '../../base/obs/metric.ts'
import { sumOfThreads } from './thread-samples.ts'

export function pushMetrics({ requests }: { requests: SharedArrayBuffer }): MetricSource[] {
  return [
    counter(
      'pushes_total',
      'Pushes by how they ended: sent; gone, so that the device was forgotten; refused by the service; failed after further tries; dropped for want of room.',
      () =>
        byLabel('outcome', {
          sent: sumOfThreads(requests, 'pushSent'),
          gone: sumOfThreads(requests, 'pushGone'),
          refused: sumOfThreads(requests, 'pushRefused'),
          failed: sumOfThreads(requests, 'pushFailed'),
          dropped: sumOfThreads(requests, 'pushDropped'),
        }),
    ),
    gauge('pushes_pending', 'Pushes under way, or waiting to be tried again.', () =>
      single(sumOfThreads(requests, 'pushPending')),
    ),
  ]
}
