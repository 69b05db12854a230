// Builds every part in order, and disposes of them in reverse. The ingest thread comes first, since
// it makes the database and the shared memory; serving reads both.

import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { atPort, type Config, ConfigError } from './config.ts'
import { openActorTable } from './graph/actor-table.ts'
import { openFollowGraph } from './graph/follow-graph.ts'
import { MEMBER } from './graph/types.ts'
import { createHydrator } from './hydrate/hydrator.ts'
import { createGuardedFetch } from './identity/guarded-fetch.ts'
import { createResolver, LOOKUPS_PER_ORIGIN } from './identity/resolver.ts'
import { createServiceAuth } from './identity/service-jwt.ts'
import { type Ingest, startIngest } from './ingest/client.ts'
import { createMembership } from './membership.ts'
import type { Logger } from './obs/log.ts'
import { type Db, openReader } from './store/db.ts'
import { lockDataDir } from './store/lock.ts'
import { createKeeps } from './timeline/lossiness.ts'
import { openTimelines } from './timeline/rings.ts'
import { version } from './version.ts'
import { createMediaUrls } from './views/media-urls.ts'
import type { Health } from './xrpc/health.ts'
import { createMethods } from './xrpc/methods.ts'
import { createServer, type Server } from './xrpc/server.ts'

export type App = { close(): Promise<void> }

type AppOptions = { config: Config; log: Logger; onFatal: (error: unknown) => void }

const FIRST_PAGE_PATIENCE_MS = 2_000

/** @throws ConfigError for whatever the operator can mend. */
export async function startApp({ config: asked, log, onFatal }: AppOptions): Promise<App> {
  const lock = lockDataDir(asked.dataDir)
  const config = asked.port === 0 ? atPort(asked, await findFreePort(asked.bind)) : asked
  const ingest = await startIngest({ config, onFatal })
  const { server, closeStore } = createServing({ config, log, ingest, onFatal })
  const port = await listen(server, config)
  log.info(
    { version, port, did: config.serviceDid, origin: config.publicOrigin },
    `serving on ${config.bind}:${port}`,
  )
  return {
    async close() {
      await server.close()
      // The writer closes last: it then leaves one whole file, without a write-ahead log beside it.
      closeStore()
      await ingest.stop()
      lock.release()
    },
  }
}

function createServing({ config, log, ingest, onFatal }: AppOptions & { ingest: Ingest }) {
  const { memory, writer } = ingest
  const db = openReader(config.dataDir)
  const actors = openActorTable(memory.actors)
  const graph = openFollowGraph(memory.graph)
  const timelines = openTimelines(memory.timelines)
  // Two, since each has only so many requests at once: what visitors make us fetch must not keep
  // members from being recognised.
  const outside = { ...config, trustedOrigins: [config.plcUrl], log }
  const fetch = createGuardedFetch(outside)
  const lookups = createGuardedFetch({ ...outside, connectionsPerOrigin: LOOKUPS_PER_ORIGIN })
  const isMember = (did: string) => {
    const uid = actors.uidOf(did)
    return uid !== 0 && (actors.flagsOf(uid) & MEMBER) !== 0
  }
  const resolver = createResolver({ ...config, fetch: lookups, log, isMember })
  const hydrator = createHydrator({ db, actors, graph, urls: createMediaUrls(config) })
  const keeps = createKeeps({ graph, limit: config.reasonableLimit })
  const methods = createMethods({
    db,
    actors,
    graph,
    timelines,
    keeps,
    hydrator,
    writer,
    resolver,
    fetch,
    firstPagePatienceMs: FIRST_PAGE_PATIENCE_MS,
  })
  const audiences = [config.serviceDid, ...config.altAudiences]
  const server = createServer({
    config,
    methods,
    serviceAuth: createServiceAuth({ resolver, audiences }),
    health: () => health(db, ingest),
    log,
    onViewer: createMembership({
      config,
      configuredMembers: ingest.configuredMembers,
      writer,
      onError: (error) => log.error({ err: error }, 'a member could not be recorded'),
    }),
    onBroken: onFatal,
  })
  return { server, closeStore: () => db.close() }
}

/** Up as long as rows can be read; a stream that is away is told, but answers are still given. */
function health(db: Db, ingest: Ingest): Health {
  try {
    db.pragma('user_version')
    return { ok: true, version, ingest: ingest.status() }
  } catch (error) {
    return { ok: false, version, error: `the database cannot be read: ${(error as Error).message}` }
  }
}

/** Found before anything is built, since our DID carries the port where no host name is set. */
function findFreePort(bind: string): Promise<number> {
  const probe = createTcpServer()
  return new Promise((resolve) => {
    // The server will meet the same error, and tell it.
    probe.once('error', () => resolve(0))
    probe.listen(0, bind, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

async function listen(server: Server, config: Config): Promise<number> {
  try {
    return (await server.listen()).port
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!code) throw error
    throw new ConfigError(
      `Cannot listen on ${config.bind}:${config.port}: ${message}.`,
      'Stop what uses the port, or set SLIPSTREAM_PORT and SLIPSTREAM_BIND to something free.',
    )
  }
}
