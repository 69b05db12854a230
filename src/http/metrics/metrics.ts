// All metrics as one table: name, type, meaning, and where the value is read at scrape time. docs/METRICS.md
// is generated from it. Names and units follow Prometheus' conventions.
// Request metrics are summed over all serving threads, whichever thread answers the scrape. Labels are
// bounded: methods, statuses and reasons are our own terms, and no label is an account or address, nor a host
// that the settings do not name.

import {
  byLabel,
  counter,
  gauge,
  histogramSamples,
  type MetricSource,
  type Sample,
  single,
} from '../../base/obs/metric.ts'
import {
  DURATION_BUCKETS,
  readMethodCounts,
  readWebCounts,
  type ThreadGauge,
} from '../../base/obs/request-counters.ts'
import { version } from '../../base/util/version.ts'
import type { IngestStatus } from '../../bridge/messages.ts'
import type { Db } from '../../data/store/db.ts'
import { countLeftOut } from '../../data/store/fetching/backfills.ts'
import { countJobs } from '../../data/store/fetching/jobs.ts'
import { searchMetrics } from './search-metrics.ts'
import { byThread, sumOfThreads } from './thread-samples.ts'
import { timelineMetrics } from './timeline-metrics.ts'
import { trafficMetrics } from './traffic-metrics.ts'

export type MetricContext = {
  status: () => IngestStatus | undefined
  requests: SharedArrayBuffer
  /** NSIDs of the served methods. */
  methods: readonly string[]
  /** Read-only connection. */
  db: Db
  /** What features add. */
  ofFeatures?: readonly ((context: MetricContext) => MetricSource[])[]
}

const DURATIONS = 'slipstream_request_duration_seconds'
const WEB_DURATIONS = 'slipstream_web_request_duration_seconds'

export function metricSources(context: MetricContext): MetricSource[] {
  return [
    ...streamMetrics(context),
    ...trafficMetrics(context.status),
    ...timelineMetrics(context),
    ...requestMetrics(context),
    ...threadMetrics(context),
    ...searchMetrics(context),
    ...contentMetrics(context),
    ...diskMetrics(context),
    ...backgroundMetrics(context),
    ...processMetrics(context),
    ...(context.ofFeatures ?? []).flatMap((metrics) => metrics(context)),
  ]
}

function diskStateSamples(status: IngestStatus | undefined): Sample[] {
  return status ? byLabel('state', { [status.disk.state]: 1 }) : []
}

function streamMetrics({ status }: MetricContext): MetricSource[] {
  const stream = () => status()?.stream
  const counts = (what: string) => status()?.counts[what]
  return [
    gauge('stream_connected', '1 while the stream is connected, else 0.', () =>
      single(stream() && Number(stream()!.connected)),
    ),
    gauge('stream_paused', '1 while the stream waits for the slower store.', () =>
      single(stream() && Number(stream()!.paused)),
    ),
    gauge(
      'stream_lag_seconds',
      'Lag of the stream behind the network: from an event’s time to its arrival, or to now while disconnected or paused.',
      () => inSeconds(stream()?.lagMs),
    ),
    gauge('stream_quiet_seconds', 'Time since the last event on the current connection.', () =>
      inSeconds(stream()?.quietMs),
    ),
    counter('stream_received_total', 'Events received, before any filter.', () =>
      single(stream()?.received),
    ),
    counter('stream_reconnects_total', 'Connections opened after the first.', () =>
      single(stream()?.reconnects),
    ),
    counter('stream_dropped_total', 'Frames and events that could not be parsed, by reason.', () =>
      byLabel('reason', stream()?.dropped),
    ),
    counter('events_total', 'Events handled, by kind.', () => byLabel('kind', counts('events'))),
    counter('event_outcomes_total', 'Events by outcome: applied, or why they were skipped.', () =>
      byLabel('outcome', counts('outcomes')),
    ),
    counter('batches_total', 'Transactions of events.', () =>
      single(counts('batches')?.['applied']),
    ),
    gauge(
      'visible_seconds',
      'Time from a frame’s arrival to its visibility, over the last second, by percentile.',
      () => visibleSamples(status()),
    ),
    counter(
      'ingest_rested_seconds_total',
      'Time that catching up paused after batches, to yield to readers.',
      () => single((counts('rested')?.['ms'] ?? 0) / 1000),
    ),
    gauge('gaps', 'Gaps in the received data, by state.', () => byLabel('state', status()?.gaps)),
  ]
}

function inSeconds(milliseconds: number | undefined): Sample[] {
  return single(milliseconds === undefined ? undefined : milliseconds / 1000)
}

function visibleSamples(status: IngestStatus | undefined): Sample[] {
  if (!status || status.visibleMs.count === 0) return []
  const { p50, p99 } = status.visibleMs
  return [
    { labels: { percentile: '50' }, value: p50 / 1000 },
    { labels: { percentile: '99' }, value: p99 / 1000 },
  ]
}

function requestMetrics({ requests, methods }: MetricContext): MetricSource[] {
  const threads = (name: ThreadGauge) => byThread(requests, name)
  const summed = (name: ThreadGauge) => single(sumOfThreads(requests, name))
  return [
    counter('requests_total', 'XRPC answers, by method and status.', () =>
      readMethodCounts(requests, methods).flatMap(({ method, statuses }) =>
        statuses.map(([status, value]) => ({
          labels: { method, status: status === 0 ? 'other' : String(status) },
          value,
        })),
      ),
    ),
    {
      name: DURATIONS,
      type: 'histogram',
      help: 'Time from a request’s arrival to its finished answer, by method.',
      read: () =>
        readMethodCounts(requests, methods).flatMap(({ method, durations, sum }) =>
          histogramSamples(
            DURATIONS,
            { method },
            { bounds: DURATION_BUCKETS, counts: durations, sum },
          ),
        ),
    },
    counter(
      'connection_bytes_total',
      'Bytes that the server’s connections received and sent, without TLS, by direction.',
      () =>
        byLabel('direction', {
          received: sumOfThreads(requests, 'bytesReceived'),
          sent: sumOfThreads(requests, 'bytesSent'),
        }),
    ),
    counter('web_requests_total', 'Other HTTP answers, by route and status.', () =>
      readWebCounts(requests).flatMap(({ method: route, statuses }) =>
        statuses.map(([status, value]) => ({
          labels: { route, status: status === 0 ? 'other' : String(status) },
          value,
        })),
      ),
    ),
    {
      name: WEB_DURATIONS,
      type: 'histogram',
      help: 'Time from another HTTP request’s arrival to the start of its answer, by route.',
      read: () =>
        readWebCounts(requests).flatMap(({ method: route, durations, sum }) =>
          histogramSamples(
            WEB_DURATIONS,
            { route },
            { bounds: DURATION_BUCKETS, counts: durations, sum },
          ),
        ),
    },
    counter('answer_cache_hits_total', 'Parts of answers found in the cache.', () =>
      summed('cachedViewHits'),
    ),
    counter('answer_cache_misses_total', 'Parts of answers that had to be built.', () =>
      summed('cachedViewMisses'),
    ),
    gauge('answer_cache_bytes', 'Bytes of cached parts of answers, by thread.', () =>
      threads('cachedViewBytes'),
    ),
    gauge('viewer_cache_bytes', 'Bytes of cached viewer relationships, by thread.', () =>
      threads('viewerBytes'),
    ),
  ]
}

/** Samples of each serving thread. */
function threadMetrics({ requests }: MetricContext): MetricSource[] {
  const threads = (name: ThreadGauge) => byThread(requests, name)
  return [
    gauge(
      'serving_loop_lag_seconds',
      'How late a serving thread’s timers are, 99th percentile.',
      () => threads('loopLagSeconds'),
    ),
    gauge(
      'serving_busy_share',
      'Share of time that a serving thread is busy: near 1, requests wait.',
      () => threads('busyShare'),
    ),
    gauge(
      'serving_request_share',
      'Share of time that a serving thread spends on requests: from 0.1 on, catching up yields.',
      () => threads('requestShare'),
    ),
    counter(
      'serving_collection_seconds_total',
      'Garbage collection pauses of a serving thread.',
      () => threads('collectionSeconds'),
    ),
    gauge('serving_heap_bytes', 'Heap in use, by serving thread.', () => threads('heapBytes')),
  ]
}

/** Reads a number from the latest report, once there is one. */
function knownOf(status: MetricContext['status']) {
  return (read: (status: IngestStatus) => number) => () => {
    const now = status()
    return single(now && read(now))
  }
}

function contentMetrics({ status }: MetricContext): MetricSource[] {
  const known = knownOf(status)
  return [
    gauge(
      'members',
      'Accounts that read here.',
      known(({ members }) => members),
    ),
    gauge(
      'timelines',
      'Timelines in memory.',
      known(({ timelines }) => timelines),
    ),
    gauge(
      'graph_accounts',
      'Accounts in the graph.',
      known(({ actors }) => actors),
    ),
    gauge(
      'graph_follows',
      'Follows in the graph.',
      known(({ follows }) => follows),
    ),
    gauge(
      'ingest_loop_lag_seconds',
      'How late the ingest thread’s timers are, 99th percentile.',
      known(({ pulse }) => pulse.loopLagMs / 1000),
    ),
  ]
}

function diskMetrics({ status }: MetricContext): MetricSource[] {
  const known = knownOf(status)
  return [
    gauge(
      'database_bytes',
      'Size of the database, without its log.',
      known(({ pulse }) => pulse.databaseBytes),
    ),
    gauge(
      'database_log_bytes',
      'Size of the database’s write-ahead log.',
      known(({ pulse }) => pulse.logBytes),
    ),
    gauge(
      'database_used_bytes',
      'Size of the database, without its free pages.',
      known(({ disk }) => disk.usedBytes),
    ),
    gauge(
      'database_cap_bytes',
      'Size up to which the database may grow.',
      known(({ disk }) => disk.capBytes),
    ),
    gauge(
      'disk_state',
      '1 for the current state: ok, the data dropped because space is short, or full while writes fail.',
      () => diskStateSamples(status()),
    ),
    counter('pruned_total', 'Old records pruned, by kind.', () =>
      byLabel('kind', status()?.counts['pruned']),
    ),
    gauge(
      'disk_free_bytes',
      'Free disk space.',
      known(({ pulse }) => pulse.freeBytes),
    ),
    gauge(
      'disk_size_bytes',
      'Size of the disk.',
      known(({ pulse }) => pulse.totalBytes),
    ),
  ]
}

function backgroundMetrics({ status, db }: MetricContext): MetricSource[] {
  const standstill = (ingestStatus: IngestStatus) => ingestStatus.stalls?.[0]?.seconds ?? 0
  return [
    gauge(
      'ingest_standstill_seconds',
      'Longest wait without progress on the ingest thread, from one minute on; normally 0.',
      () => {
        const now = status()
        return single(now && standstill(now))
      },
    ),
    gauge('jobs', 'Jobs against other servers, waiting or running, by kind.', () =>
      byLabel('kind', countJobs(db) as Record<string, number>),
    ),
    gauge(
      'records_later',
      'Records beyond the cold starts’ budgets; they are fetched slowly.',
      () => single(countLeftOut(db)),
    ),
    gauge('cold_starts', 'New members whose cold start is running.', () =>
      single(status()?.coldStarts.filter(({ stage }) => stage !== 'done').length),
    ),
    counter('fetches_total', 'Requests to other servers, by outcome.', () =>
      byLabel('outcome', status()?.counts['fetches']),
    ),
    counter(
      'fetched_records_total',
      'Records read from repositories: applied, removed or missing there, or why they were skipped.',
      () => byLabel('outcome', status()?.counts['fetched']),
    ),
    counter('labels_total', 'Labels received and stored or withdrawn.', () =>
      single(status()?.counts['labels']?.['kept']),
    ),
    counter('labels_dropped_total', 'Labels received and skipped, by reason.', () =>
      byLabel('reason', status()?.counts['labels-dropped']),
    ),
  ]
}

function processMetrics(_parts: MetricContext): MetricSource[] {
  const startedAt = Date.now() / 1000 - process.uptime()
  return [
    gauge('build_info', 'Always 1; the labels give the version.', () => [
      { labels: { version, node: process.versions.node }, value: 1 },
    ]),
    {
      name: 'process_resident_memory_bytes',
      type: 'gauge',
      help: 'Memory of the whole process.',
      read: () => single(process.memoryUsage.rss()),
    },
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'CPU time of the whole process.',
      read: () => {
        const { user, system } = process.cpuUsage()
        return single((user + system) / 1e6)
      },
    },
    {
      name: 'process_start_time_seconds',
      type: 'gauge',
      help: 'Start of the process, in seconds since 1970.',
      read: () => single(startedAt),
    },
  ]
}
