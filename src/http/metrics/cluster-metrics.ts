// Metrics of the node's part in a cluster (docs/CLUSTER.md).

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
    counter(
      'engine_homes_total',
      'Ends of members’ logs that the engine was asked for, for home timelines; unused where they did not fit what this node has.',
      () =>
        byLabel('outcome', {
          used: sumOfThreads(requests, 'homesUsed'),
          unused: sumOfThreads(requests, 'homesUnused'),
        }),
    ),
    gauge(
      'guest_timelines',
      'Home timelines of other nodes’ members of which the newest entries are kept, by all threads.',
      () => single(sumOfThreads(requests, 'guestTimelines')),
    ),
  ]
}
