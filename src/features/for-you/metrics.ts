// Metrics of For You: pages, and how many of them were left to what stands in for it.

import { counter, type MetricSource, single } from '../../base/obs/metric.ts'
import { sumOfThreads } from '../../http/metrics/thread-samples.ts'

export function forYouMetrics({ requests }: { requests: SharedArrayBuffer }): MetricSource[] {
  return [
    counter('for_you_pages_total', 'Pages of For You.', () =>
      single(sumOfThreads(requests, 'for-you.pages')),
    ),
    counter('for_you_sessions_total', 'First pages of For You, each the choice of a session.', () =>
      single(sumOfThreads(requests, 'for-you.first_pages')),
    ),
    counter(
      'for_you_empty_total',
      'Pages for which For You had nothing, so that another feed stood in.',
      () => single(sumOfThreads(requests, 'for-you.empty')),
    ),
  ]
}
