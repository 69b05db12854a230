// Metrics of nodes that share an engine.

import {
  byLabel,
  counter,
  gauge,
  type MetricSource,
  type Sample,
  single,
} from '../../base/obs/metric.ts'
import { sumOfThreads } from '../../http/metrics/thread-samples.ts'
import { loadGauges } from './bucket-load.ts'

export function clusterMetrics({ requests }: { requests: SharedArrayBuffer }): MetricSource[] {
  return [
    gauge(
      'buckets_held',
      'Buckets that this node holds, of 256; all of them on a single node.',
      () => single(sumOfThreads(requests, 'cluster.bucketsHeld')),
    ),
    counter('bucket_changes_total', 'Buckets that this node gained and lost.', () =>
      byLabel('change', {
        gained: sumOfThreads(requests, 'cluster.bucketsGained'),
        lost: sumOfThreads(requests, 'cluster.bucketsLost'),
      }),
    ),
    counter(
      'bucket_seconds_total',
      'Time of the serving threads on calls of members, by the member’s bucket (0 to 255); none of buckets without calls.',
      () => loadSamples(requests),
    ),
    counter(
      'engine_fallbacks_total',
      'Requests answered from this node’s own data because the engine was unreachable or took longer than 200 ms.',
      () => single(sumOfThreads(requests, 'cluster.engineFallbacks')),
    ),
    counter(
      'engine_homes_total',
      'Log tails read from the engine for home timelines; unused if they did not match this node’s data.',
      () =>
        byLabel('outcome', {
          used: sumOfThreads(requests, 'cluster.homesUsed'),
          unused: sumOfThreads(requests, 'cluster.homesUnused'),
        }),
    ),
    gauge(
      'guest_timelines',
      'Other nodes’ members whose newest home timeline entries are cached, over all threads.',
      () => single(sumOfThreads(requests, 'cluster.guestTimelines')),
    ),
  ]
}

function loadSamples(requests: SharedArrayBuffer): Sample[] {
  return loadGauges.flatMap((gauge, bucket) => {
    const ms = sumOfThreads(requests, gauge)
    return ms > 0 ? [{ labels: { bucket }, value: ms / 1000 }] : []
  })
}
