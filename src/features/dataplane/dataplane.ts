// The dataplane interface of one serving thread: bsky.Service and bsync.Service over gRPC, gRPC-web or
// Connect, for an official AppView that keeps its frontend and drops its own dataplane. It also serves that
// frontend the HTTP API of a search service. Loaded only if the operator configures a port.

import { connectNodeAdapter } from '@connectrpc/connect-node'
import { settingsOf } from '../../base/config/every-setting.ts'
import { MAX_TIMER_MS } from '../../base/util/durations.ts'
import { InvalidationReader } from '../../data/shared-memory/invalidation-ring.ts'
import type { OnViewer } from '../../http/server/auth.ts'
import { admitting } from './admitting.ts'
import type { Arrivals } from './calls/awaited.ts'
import { bsyncRpcs } from './calls/bsync.ts'
import { bsyncStreamRpcs } from './calls/bsync-stream.ts'
import { createSearches } from './calls/search.ts'
import { createReading, type DataplaneContext } from './reading/reading.ts'
import { callsOf, type FrontendQueue, routesOf } from './service.ts'
import { dataplaneSettings } from './settings.ts'
import { createWeb } from './web.ts'
import { createGrpc } from './wire/grpc.ts'
import { type DataplaneListener, listen } from './wire/listener.ts'
import { MAX_ANSWERED_BYTES, MAX_REQUESTED_BYTES } from './wire/messages.ts'

type DataplaneOptions = Omit<DataplaneContext, 'invalidations' | 'onViewer'> & {
  onViewer: OnViewer
  /** Ring of invalidations. undefined: nothing is cached between calls. */
  invalidations?: SharedArrayBuffer | undefined
  overload: FrontendQueue
  /** Fetches what calls lack; unset: nothing is fetched. */
  arrivals?: Arrivals | undefined
  onAnswered: (path: string, status: number, seconds: number) => void
}

export async function startDataplane(
  options: DataplaneOptions,
  { reusePort }: { reusePort?: boolean | undefined } = {},
): Promise<DataplaneListener> {
  const { arrivals, config, invalidations, log, onAnswered, onViewer, overload } = options
  const reading = createReading({
    ...options,
    invalidations: invalidations && new InvalidationReader(invalidations),
    onViewer: admitting(onViewer),
  })
  const searches = createSearches(reading)
  const calls = callsOf(
    { reading, arrivals, searches, overload, log, onAnswered },
    {
      ...bsyncRpcs(reading),
      ...bsyncStreamRpcs(reading),
    },
  )
  const limits = { maxRequestedBytes: MAX_REQUESTED_BYTES, maxAnsweredBytes: MAX_ANSWERED_BYTES }
  const answer = connectNodeAdapter({
    routes: routesOf(calls),
    fallback: createWeb(searches, overload),
    readMaxBytes: MAX_REQUESTED_BYTES,
    writeMaxBytes: MAX_ANSWERED_BYTES,
    acceptCompression: [],
    maxTimeoutMs: MAX_TIMER_MS,
  })
  const settings = settingsOf(config, dataplaneSettings)
  const answers = { answer, grpc: createGrpc(calls, limits) }
  const listener = await listen(answers, { config: settings, reusePort })
  log.info({ bind: settings.dataplaneBind, port: listener.port }, 'dataplane interface is up')
  return listener
}
