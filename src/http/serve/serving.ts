// The parts of one serving thread: a read-only connection, the reading side of the shared memory, outgoing
// connections, the methods over all these, and HTTP in front. Nothing here knows the number of threads,
// except where they share a limit of the process.

import { setTimeout as pause } from 'node:timers/promises'
import { openFollowGraph, openTimelines } from '@slipstream/follow-graph'
import type { Hono } from 'hono'
import { createHydrator } from '../../answers/hydrate/hydrator.ts'
import { createMediaUrls } from '../../answers/views/media-urls.ts'
import type { Config } from '../../base/config/config.ts'
import { pageCacheKib } from '../../base/config/memory.ts'
import type { Logger } from '../../base/obs/log.ts'
import { version } from '../../base/util/version.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import type { IngestStatus, SharedMemory } from '../../bridge/messages.ts'
import { openActorTable } from '../../data/graph/actor-table.ts'
import { createIsDrawn } from '../../data/graph/lossiness.ts'
import { MEMBER } from '../../data/graph/types.ts'
import { createSharedBudget } from '../../data/shared-memory/shared-budget.ts'
import { type Db, openReader } from '../../data/store/db.ts'
import { isDiskFull } from '../../data/store/files/disk-full.ts'
import { findAdmission } from '../../data/store/members/admissions.ts'
import { seatsForOneMore } from '../../data/store/members/seats.ts'
import { schemaOf } from '../../data/store/migrate.ts'
import { isBanned } from '../../data/store/moderation/bans.ts'
import { createAccounts } from '../../data/store/read/accounts/accounts.ts'
import { prepareItemDraw } from '../../data/store/read/timelines/item-draw.ts'
import { prepareConnections } from '../../sources/identity/first-connection.ts'
import { createGuardedFetch } from '../../sources/identity/guarded-fetch.ts'
import { LOOKUPS_PER_ORIGIN, type Resolver } from '../../sources/identity/resolver.ts'
import { createServiceAuth } from '../../sources/identity/service-jwt.ts'
import { createQuotas } from '../../sources/quota.ts'
import { elsewhereOf, type ServeFeature, startFeatures } from '../feature.ts'
import { createOperatorRoutes, operatorRoutes } from '../operator/routes.ts'
import { createNewcomers } from '../overload/newcomers.ts'
import { createOverload } from '../overload/overload.ts'
import type { RateBuffers } from '../overload/rate-limits.ts'
import type { Health } from '../server/health.ts'
import { countSocketBytes } from '../server/listening/socket-bytes.ts'
import { createMembership } from '../server/membership.ts'
import { createResponding } from '../server/respond.ts'
import { createServer, type Server } from '../server/server.ts'
import { createAcceptLabelers } from '../xrpc/accounts/accepted-labelers.ts'
import { createInvites } from '../xrpc/accounts/invites.ts'
import { createAppContext } from '../xrpc/app-context.ts'
import { cacheAnswers } from '../xrpc/cached-answers.ts'
import { bindMethods } from '../xrpc/methods.ts'
import { FIRST_PAGE_MAX_WAIT_MS } from '../xrpc/waiting/first-page.ts'
import { createLabelRequests } from '../xrpc/waiting/label-requests.ts'
import { warmUp } from '../xrpc/warm-up.ts'
import { countThread } from './counting.ts'
import { createIdentities } from './identities.ts'
import { createSearching } from './searching.ts'
import { type Sharing, shareWith } from './sharing.ts'
import { streamHealth } from './stream-health.ts'

type ServingOptions = {
  config: Config
  features: readonly ServeFeature[]
  /** Of each feature, in the same order: shared by all serving threads. */
  featureMemory: readonly unknown[]
  log: Logger
  memory: SharedMemory
  ingest: IngestConnection
  /** Index of this serving thread, from 0. */
  thread: number
  /** Shared by all serving threads. */
  rateBuffers: RateBuffers
  /** Tokens for other services that were used here; shared by all serving threads. */
  usedTokens: SharedArrayBuffer
  onFatal: (error: unknown) => void
}

type Serving = {
  server: Server
  /** The operator's routes for the socket in the data folder. */
  controlApp: Hono
  closeStore(): void
}

const NAMES_MAX_WAIT_MS = 700
/** Lists of common words fit; the rest is in the system's cache. */
const MAX_SEARCH_CACHE_KIB = 16_384
/** Look-ups of accounts unknown here, made because a member views them. */
const STRANGERS_A_MINUTE = { windowSeconds: 60, each: 200, all: 2_000 }

export function createServing(options: ServingOptions): Serving {
  const { config, features, log, memory, ingest, onFatal } = options
  const reading = openReading(options)
  const { db, actors, graph } = reading
  const shared = shareWith(features, { ...options, ...reading })
  const { writer, operate } = shared
  const { fetch, lookups, quotas } = createOutside(options)
  const resolver = createIdentities({ ...options, ...reading, lookups })
  const operator = { config, features, db, actors, ingest: { ...ingest, operate }, resolver, log }
  const elsewhere = elsewhereOf(features, { config, log, db, writer, quotas })
  const hydrator = createHydrator({
    onLabelsRead: createLabelRequests({ writer }),
    onCountsRead: elsewhere?.postsRead,
    db,
    actors,
    graph,
    urls: createMediaUrls(config),
    trustedVerifiers: config.trustedVerifiers,
    tagRules: config,
  })
  const invites = createInvites({ config, db, writer })
  const caches = cacheAnswers(options, reading)
  const app = createAppContext({
    ...reading,
    ...shared.homes,
    hydrator,
    writer,
    resolver,
    fetch,
    quotas,
    moderationServices: config.moderationServices,
    tagRules: config,
    firstPageMaxWaitMs: FIRST_PAGE_MAX_WAIT_MS,
    namesMaxWaitMs: NAMES_MAX_WAIT_MS,
    lookups: createSharedBudget({ buffer: options.rateBuffers.lookups, ...STRANGERS_A_MINUTE }),
    invalidations: memory.invalidations,
    maxCachedBytes: caches.maxBytes,
    scope: config.indexScope,
    elsewhere,
    invites,
    decide: (decision) => operate({ kind: 'moderate', ...decision }),
    onCached: caches.watch,
  })
  const methods = bindMethods(
    app,
    features.flatMap((feature) => feature.methods?.(config) ?? []),
    elsewhere,
  )
  const warming = warmUp(app, log)
  const callers = shared.withState(aboutCallers(options, reading, { resolver, ...shared }))
  const overload = createOverload({
    config,
    buffers: options.rateBuffers,
    isMember: reading.isMember,
    onMemberTime: (did, ms) => ofFeatures.onMemberTime(did, ms),
  })
  const socketBytes = countSocketBytes()
  const counting = countThread({
    ...options,
    ...reading,
    socketBytes,
    featureGauges: () => ({ ...shared.gauges(), ...ofFeatures.gauges() }),
    ofFeatures: features.flatMap(({ metrics }) => metrics ?? []),
    cacheUsage: caches.usage,
    methods: [
      ...methods.map(({ nsid }) => nsid),
      ...features.flatMap((feature) => feature.callNames?.(config) ?? []),
    ],
  })
  const responding = createResponding({ overload, log, onBroken: onFatal })
  const ofFeatures = startFeatures(features, {
    config,
    log,
    thread: options.thread,
    ingest,
    memory,
    db,
    actors,
    graph,
    timelines: reading.timelines,
    search: reading.search,
    isDrawn: reading.isDrawn,
    draw: reading.draw,
    hydrator,
    app,
    writer,
    resolver,
    fetch,
    overload,
    responding,
    sharedByNodes: shared.ofFeatures,
    onFatal,
    serviceAuth: callers.serviceAuth,
    isMember: reading.isMember,
    onViewer: callers.onViewer,
    onAnswered: counting.onAnswered,
    slowRequests: counting.slowRequests,
    rateBuffers: options.rateBuffers,
    shared: options.featureMemory,
    visit: async (request, by) => server.fetch(request, by && { incoming: by.incoming }),
  })
  const server = createServer({
    config,
    methods,
    log,
    health: () => health(db, ingest),
    ...callers,
    responding,
    onAnswered: counting.onAnswered,
    slowRequests: counting.slowRequests,
    overload,
    notFound: ofFeatures.notFound,
    usedTokens: options.usedTokens,
    sideRoutes: [operatorRoutes(operator), ...ofFeatures.routes, ...counting.routes],
    socketBytes,
    didServices: features.flatMap((feature) => feature.didServices?.(config) ?? []),
  })
  const closing = closingFirst(server, [counting, ofFeatures], shared)
  return {
    server: listeningFirst(closing, ofFeatures),
    controlApp: createOperatorRoutes({ ...operator, isLocal: true }),
    closeStore: () => closeAll([reading.search, warming, caches, shared, db]),
  }
}

type Reading = ReturnType<typeof openReading>

/** A serving thread's data: rows, and the memory shared by all threads. */
function openReading({ config, memory, log, thread }: ServingOptions) {
  const graph = openFollowGraph(memory.graph)
  const actors = openActorTable(memory.actors)
  const db = openReader(config.dataDir, { cacheKib: pageCacheKib(config) })
  const draw = prepareItemDraw(db, actors)
  const search = createSearching({
    dataDir: config.dataDir,
    cacheKib: Math.min(pageCacheKib(config), MAX_SEARCH_CACHE_KIB),
    log,
    name: `search-${thread + 1}`,
  })
  return {
    db,
    search,
    actors,
    isMember: (did: string) => {
      const uid = actors.uidOf(did)
      return uid !== 0 && (actors.flagsOf(uid) & MEMBER) !== 0
    },
    graph,
    timelines: openTimelines(memory.timelines),
    draw,
    isDrawn: createIsDrawn({ graph, limit: config.reasonableLimit, draw }),
  }
}

/** Labelers that apply to a caller, and the effects of a call on membership. */
function aboutCallers(
  options: ServingOptions,
  { db, actors, isMember }: Reading,
  shared: Pick<Sharing, 'writer' | 'hasSeat' | 'isLogged'> & { resolver: Resolver },
) {
  const { config, log, ingest, rateBuffers } = options
  const { writer, resolver } = shared
  const audiences = [config.serviceDid, ...config.altAudiences]
  return {
    serviceAuth: createServiceAuth({ resolver, audiences }),
    acceptLabelers: createAcceptLabelers({
      defaults: config.labelers,
      actors,
      accounts: createAccounts(db),
      writer,
    }),
    isMember,
    onViewer: createMembership({
      config,
      configuredMembers: ingest.configuredMembers,
      isBanned: (did) => isBanned(db, did),
      isAdmitted: (did) => findAdmission(db, did) !== undefined,
      isMember,
      hasSeat: () => hasSeat(options, db, shared),
      newcomers: createNewcomers({ config, buffer: rateBuffers.newcomers }),
      writer,
      onError(error) {
        // Already logged where it was detected.
        if (isDiskFull(error) || shared.isLogged(error)) return
        log.error({ err: error }, 'a member could not be recorded')
      },
    }),
  }
}

function hasSeat(
  { config, ingest }: Pick<ServingOptions, 'config' | 'ingest'>,
  db: Db,
  shared: Pick<Sharing, 'hasSeat'>,
): boolean {
  if (shared.hasSeat) return shared.hasSeat()
  const { maxMembers } = config
  return (
    seatsForOneMore(db, { maxMembers, except: ingest.configuredMembers(), now: Date.now() }) !==
    undefined
  )
}

function closeAll(parts: readonly { close(): void }[]): void {
  for (const part of parts) part.close()
}

/**
 * Closes listeners first, since they would keep the server from ending, as would pictures waiting
 * to be made. Other nodes take over immediately, not only once the last request
 * ends; requests are accepted until a balancer has seen that the node is leaving.
 */
function closingFirst(
  server: Server,
  parts: { close(): void | Promise<void> }[],
  { leave, leavesForMs }: Pick<Sharing, 'leave' | 'leavesForMs'>,
): Server {
  return {
    ...server,
    async close() {
      if (leavesForMs > 0) server.leave()
      await Promise.all([leave(), pause(leavesForMs)])
      await Promise.all([...parts.map((part) => part.close()), server.close()])
    },
  }
}

/** Not before it can connect to others. A port that is taken ends the start, also a feature's. */
function listeningFirst(
  server: Server,
  ofFeatures: { listen(how: { reusePort?: boolean }): Promise<void> },
): Server {
  return {
    ...server,
    async listen(how = {}) {
      await prepareConnections()
      await ofFeatures.listen(how)
      return server.listen(how)
    },
  }
}

/**
 * Two fetches with separate request limits, so that fetches for visitors cannot block members'
 * authentication. All threads together send the directory no more requests than one would.
 */
function createOutside({ config, log, rateBuffers }: ServingOptions) {
  const outside = { ...config, trustedOrigins: [config.plcUrl], log }
  const connectionsPerOrigin = Math.ceil(LOOKUPS_PER_ORIGIN / config.serveThreads)
  return {
    quotas: createQuotas(rateBuffers.quotas),
    fetch: createGuardedFetch(outside),
    lookups: createGuardedFetch({ ...outside, connectionsPerOrigin }),
  }
}

/** Hides who reads here, and the counters. */
function publicPart(status: IngestStatus | undefined) {
  if (!status) return undefined
  const {
    coldStarts,
    beforeLive: _,
    counts: _counts,
    fanOut: _fanOut,
    pulse: _pulse,
    ...reported
  } = status
  return { ...reported, coldStarts: coldStarts.filter(({ stage }) => stage !== 'done').length }
}

/**
 * Healthy as long as rows can be read; a disconnected stream is reported, but requests are still
 * answered.
 */
function health(db: Db, ingest: IngestConnection): Health {
  try {
    schemaOf(db)
    const status = ingest.status()
    const stream = streamHealth(status, process.uptime() * 1000)
    return { ok: true, version, stream, ingest: publicPart(status) }
  } catch (error) {
    return { ok: false, version, error: `the database cannot be read: ${(error as Error).message}` }
  }
}
