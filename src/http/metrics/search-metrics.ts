// Metrics of the search threads, one of each serving thread.

import { byLabel, counter, gauge, type MetricSource, single } from '../../base/obs/metric.ts'
import { sumOfThreads } from './thread-samples.ts'

export function searchMetrics({ requests }: { requests: SharedArrayBuffer }): MetricSource[] {
  return [
    gauge('searches_waiting', 'Searches that wait for the search thread, over all threads.', () =>
      single(sumOfThreads(requests, 'searchesWaiting')),
    ),
    counter(
      'searches_total',
      'Searches by outcome: ran; refused, because too many of one asker or of all were waiting; or given up, after waiting for eight seconds or because the search thread did not answer.',
      () =>
        byLabel('outcome', {
          ran: sumOfThreads(requests, 'searchesRan'),
          refused: sumOfThreads(requests, 'searchesRefused'),
          'given-up': sumOfThreads(requests, 'searchesGivenUp'),
        }),
    ),
    counter('search_seconds_total', 'Processor time of searches on the search threads.', () =>
      single(sumOfThreads(requests, 'searchSeconds')),
    ),
  ]
}
