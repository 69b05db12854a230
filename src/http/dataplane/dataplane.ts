// The dataplane interface of one serving thread: bsky.Service and bsync.Service, by gRPC, gRPC-web or Connect,
// for an official AppView that keeps its frontend and drops its own dataplane. Beside them, for the same
// frontend, the HTTP face of a search service. Loaded only where the operator gives it a port.

import { connectNodeAdapter } from '@connectrpc/connect-node'
import type { Hydrator } from '../../answers/hydrate/hydrator-types.ts'
import { bsyncRpcs } from './bsync.ts'
import { type DataplaneListener, listen } from './listener.ts'
import { createReading, type DataplaneParts } from './reading.ts'
import { createSearches } from './search.ts'
import { routesOf } from './service.ts'
import { createWeb } from './web.ts'

/** Of one call, as it comes and as it is answered. */
const MAX_ASKED_BYTES = 4 << 20
const MAX_ANSWERED_BYTES = 64 << 20

export type DataplaneOptions = DataplaneParts & {
  hydrator: Pick<Hydrator, 'labels'>
  onAnswered: (path: string, status: number, seconds: number) => void
}

export async function startDataplane(
  options: DataplaneOptions,
  { reusePort }: { reusePort?: boolean | undefined } = {},
): Promise<DataplaneListener> {
  const { config, hydrator, log, onAnswered } = options
  const reading = createReading(options)
  const searches = createSearches(reading)
  const answer = connectNodeAdapter({
    routes: routesOf({ reading, hydrator, searches, log, onAnswered }, bsyncRpcs(reading)),
    fallback: createWeb(searches),
    readMaxBytes: MAX_ASKED_BYTES,
    writeMaxBytes: MAX_ANSWERED_BYTES,
    acceptCompression: [],
  })
  const listener = await listen(answer, { config, reusePort })
  log.info({ bind: config.dataplaneBind, port: listener.port }, 'dataplane interface is up')
  return listener
}
