// What one serving thread is made of: a read-only connection, the reading side of the shared memory,
// the ways to other people's servers, the methods over all that, and HTTP in front. Nothing in here
// knows how many threads there are, except where they share what one process may use.

import type { SharedMemory } from '../bridge.ts'
import type { Config } from '../config.ts'
import { openActorTable } from '../graph/actor-table.ts'
import { openFollowGraph } from '../graph/follow-graph.ts'
import { MEMBER } from '../graph/types.ts'
import { createHydrator } from '../hydrate/hydrator.ts'
import { createGuardedFetch } from '../identity/guarded-fetch.ts'
import { createResolver, LOOKUPS_PER_ORIGIN } from '../identity/resolver.ts'
import { createServiceAuth } from '../identity/service-jwt.ts'
import type { IngestConnection } from '../ingest/connection.ts'
import { createMembership } from '../membership.ts'
import type { Logger } from '../obs/log.ts'
import { createAccounts } from '../skeleton/accounts.ts'
import { type Db, openReader } from '../store/db.ts'
import { createKeeps } from '../timeline/lossiness.ts'
import { openTimelines } from '../timeline/rings.ts'
import { version } from '../version.ts'
import { createMediaUrls } from '../views/media-urls.ts'
import { createAcceptLabelers } from '../xrpc/accepted-labelers.ts'
import type { Health } from '../xrpc/health.ts'
import { createLabelsWanted } from '../xrpc/labels-wanted.ts'
import { createMethods } from '../xrpc/methods.ts'
import { createServer, type Server } from '../xrpc/server.ts'

export type ServingOptions = {
  config: Config
  log: Logger
  memory: SharedMemory
  ingest: IngestConnection
  onFatal: (error: unknown) => void
}

export type Serving = { server: Server; closeStore(): void }

const FIRST_PAGE_PATIENCE_MS = 2_000
const MEGABYTE = 1 << 20

export function createServing({ config, log, memory, ingest, onFatal }: ServingOptions): Serving {
  const { writer } = ingest
  const db = openReader(config.dataDir)
  const actors = openActorTable(memory.actors)
  const graph = openFollowGraph(memory.graph)
  const timelines = openTimelines(memory.timelines)
  const isMember = (did: string) => {
    const uid = actors.uidOf(did)
    return uid !== 0 && (actors.flagsOf(uid) & MEMBER) !== 0
  }
  const { fetch, lookups } = createOutside(config, log)
  const resolver = createResolver({ ...config, fetch: lookups, log, isMember })
  const onLabelsRead = createLabelsWanted({ writer })
  const hydrator = createHydrator({
    onLabelsRead,
    ...{ db, actors, graph },
    urls: createMediaUrls(config),
    trustedVerifiers: config.trustedVerifiers,
  })
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
    notes: memory.notes,
    maxKeptBytes: config.answerCacheMb * MEGABYTE,
  })
  const audiences = [config.serviceDid, ...config.altAudiences]
  const server = createServer({
    config,
    methods,
    serviceAuth: createServiceAuth({ resolver, audiences }),
    health: () => health(db, ingest),
    log,
    acceptLabelers: createAcceptLabelers({
      defaults: config.labelers,
      actors,
      accounts: createAccounts(db),
      writer,
    }),
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

/**
 * Two, since each has only so many requests at once: what visitors make us fetch must not keep members
 * from being recognised. All threads together ask the directory no more than one would.
 */
function createOutside(config: Config, log: Logger) {
  const outside = { ...config, trustedOrigins: [config.plcUrl], log }
  const connectionsPerOrigin = Math.ceil(LOOKUPS_PER_ORIGIN / config.serveThreads)
  return {
    fetch: createGuardedFetch(outside),
    lookups: createGuardedFetch({ ...outside, connectionsPerOrigin }),
  }
}

/** Up as long as rows can be read; a stream that is away is told, but answers are still given. */
function health(db: Db, ingest: IngestConnection): Health {
  try {
    db.pragma('user_version')
    return { ok: true, version, ingest: ingest.status() }
  } catch (error) {
    return { ok: false, version, error: `the database cannot be read: ${(error as Error).message}` }
  }
}
