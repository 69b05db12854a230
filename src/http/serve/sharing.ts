// Whether this node is one of several that share members' private state, and what follows from it for a serving
// thread. One that is alone gives its parts back as they are.

import { hostname } from 'node:os'
import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import type { Writer } from '../../bridge/messages.ts'
import { createCqlLeases } from '../../data/engine/cql-leases.ts'
import { createSoleLeases, type Leases } from '../../data/engine/leases.ts'
import type { Db } from '../../data/store/db.ts'
import type { OnViewer } from '../server/auth.ts'
import { createEnginePlace } from './engine-place.ts'
import { createSharedState } from './shared-state.ts'
import { createSharedTimelines, type SharedTimelines } from './shared-timelines.ts'

type Sharing = {
  writer: Writer
  /** A member's request waits for what other nodes took in. */
  withState<Callers extends { onViewer: OnViewer }>(callers: Callers): Callers
  /** The node's, of which its first thread takes care. */
  leases: Leases | undefined
  /** What programs post; undefined where that is this node's alone. */
  timelines: SharedTimelines | undefined
  /** Answers that were given from what this node had, since the engine was away or slow. */
  fallbacks(): number
  close(): void
}

type Options = {
  config: Config
  log: Logger
  ingest: Pick<IngestConnection, 'writer' | 'writeTimelines' | 'planPosts'>
  thread: number
}

export function createSharing(options: Options, db: Db): Sharing {
  const { config, log, ingest } = options
  const { writer } = ingest
  const isFirst = options.thread === 0
  if (config.engine === undefined) {
    const leases = isFirst ? createSoleLeases() : undefined
    const nothing = { timelines: undefined, fallbacks: () => 0, close() {} }
    return { writer, withState: (callers) => callers, leases, ...nothing }
  }
  const engine = createEnginePlace(config)
  const shared = createSharedState({ place: engine.place, db, writer, log })
  const timelines = createSharedTimelines({ place: engine.place, db, ingest, log })
  const name = `${hostname()}:${config.port}`
  const table = async () => (await engine.place()).leases
  return {
    leases: isFirst ? createCqlLeases({ table, name, log }) : undefined,
    timelines,
    fallbacks: () => shared.fallbacks() + timelines.fallbacks(),
    writer: shared.writer,
    withState: (callers) => ({ ...callers, onViewer: afterwards(callers.onViewer, shared) }),
    close() {
      timelines.close()
      void engine.close().catch((error) => log.warn({ err: error }, 'the engine'))
    },
  }
}

function afterwards(
  onViewer: OnViewer,
  shared: { upToDate(did: string): Promise<void> },
): OnViewer {
  return async (did, token, request) => {
    await onViewer(did, token, request)
    await shared.upToDate(did)
  }
}
