// What is told at /metrics of the node's part among several (docs/CLUSTER.md).

import { byLabel, counter, gauge, type MetricSource, single } from '../../base/obs/metric.ts'
import { sumOfThreads } from './thread-samples.ts'

export function clusterMetrics({ requests }: { requests: SharedArrayBuffer }): MetricSource[] {
  return [
    gauge(
      'buckets_held',
      'Of the 256 buckets, those that are this node’s for now; all where it is alone.',
      () => single(sumOfThreads(requests, 'bucketsHeld')),
    ),
    counter('bucket_changes_total', 'Buckets that this node gained and lost.', () =>
      byLabel('change', {
        gained: sumOfThreads(requests, 'bucketsGained'),
        lost: sumOfThreads(requests, 'bucketsLost'),
      }),
    ),
    counter(
      'engine_fallbacks_total',
      'Requests that were answered with what this node had, since the engine was away or took longer than 200 ms.',
      () => single(sumOfThreads(requests, 'engineFallbacks')),
    ),
  ]
}
