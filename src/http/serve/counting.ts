// A serving thread's own figures: request counts, event loop delay and caches; and the metrics of all threads.

import { Hono } from 'hono'
import type { Config } from '../../base/config/config.ts'
import type { FeatureGauge } from '../../base/feature.ts'
import { watchBusyShare } from '../../base/obs/busy-share.ts'
import { watchCollections } from '../../base/obs/collections.ts'
import type { Logger } from '../../base/obs/log.ts'
import { watchLoopLag } from '../../base/obs/loop-lag.ts'
import { RequestCounters } from '../../base/obs/request-counters.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import type { SharedMemory } from '../../bridge/messages.ts'
import type { MetricContext } from '../metrics/metrics.ts'
import { addMetricsRoute } from '../metrics/metrics-route.ts'
import type { SocketBytes } from '../server/listening/socket-bytes.ts'
import type { SideRoutes } from '../server/side-routes.ts'
import { createSlowRequests, type SlowRequests } from '../server/slow-requests.ts'
import type { SearchCounts } from './searching.ts'

type CountingOptions = Omit<MetricContext, 'status' | 'requests'> & {
  config: Config
  log: Logger
  memory: SharedMemory
  ingest: IngestConnection
  /** Index of this serving thread, from 0. */
  thread: number
  /** The cache of answers. */
  cacheUsage: () => { viewCache: number; viewers: number; hits: number; misses: number }
  search: { counts(): SearchCounts }
  socketBytes: Pick<SocketBytes, 'totals'>
  /** What features report. */
  featureGauges: () => Readonly<Record<FeatureGauge, number>>
}

type Counting = {
  /** For the server's `sideRoutes`. */
  routes: SideRoutes[]
  onAnswered: (path: string, status: number, seconds: number) => void
  slowRequests: SlowRequests
  close(): void
}

const TELL_EVERY_MS = 1_000

export function countThread(options: CountingOptions): Counting {
  const { ingest, memory, thread } = options
  const { requests } = memory
  const counters = new RequestCounters(requests, thread, options.methods)
  const collections = watchCollections()
  const slowRequests = createSlowRequests({ collections })
  const lag = watchLoopLag()
  const shares = watchBusyShare(({ busy, requests }) => {
    counters.set('busyShare', busy)
    counters.set('requestShare', requests)
  })
  const timer = setInterval(() => {
    const { viewCache, viewers, hits, misses } = options.cacheUsage()
    counters.set('loopLagSeconds', lag.take())
    counters.set('collectionSeconds', collections.total())
    counters.set('heapBytes', process.memoryUsage().heapUsed)
    counters.set('cachedViewBytes', viewCache)
    counters.set('viewerBytes', viewers)
    counters.set('cachedViewHits', hits)
    counters.set('cachedViewMisses', misses)
    for (const [gauge, value] of Object.entries(options.featureGauges())) {
      counters.set(gauge as FeatureGauge, value)
    }
    const { received, sent } = options.socketBytes.totals()
    counters.set('bytesReceived', received)
    counters.set('bytesSent', sent)
    const searches = options.search.counts()
    counters.set('searchesWaiting', searches.waiting)
    counters.set('searchesRan', searches.ran)
    counters.set('searchesRefused', searches.refused)
    counters.set('searchesGivenUp', searches.givenUp)
    counters.set('searchSeconds', searches.ms / 1_000)
  }, TELL_EVERY_MS)
  timer.unref()
  return {
    routes: [metricRoutes(options.config, { ...options, requests, status: ingest.status })],
    slowRequests,
    onAnswered(path, status, seconds) {
      counters.count(path, status, seconds)
      shares.answered(seconds)
    },
    close() {
      clearInterval(timer)
      lag.stop()
      shares.stop()
      collections.stop()
    },
  }
}

function metricRoutes(config: Config, context: MetricContext): SideRoutes {
  const app = new Hono()
  addMetricsRoute(app, config, context)
  const charge = { route: 'metrics', points: 1, from: 'metrics', patterns: ['/metrics'] } as const
  return { path: '/', app, charges: [charge] }
}
