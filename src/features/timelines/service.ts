// The timelines service in front of one serving thread.

import type { FollowGraphReader } from '@slipstream/follow-graph'
import { unavailable } from '../../base/atproto/xrpc-error.ts'
import type { Config } from '../../base/config/config.ts'
import { type WebRoute, webPath } from '../../base/obs/request-counters.ts'
import type { IngestConnection } from '../../bridge/connection.ts'
import type { SharedMemory } from '../../bridge/messages.ts'
import type { IsDrawn } from '../../data/graph/lossiness.ts'
import type { ActorReader } from '../../data/graph/types.ts'
import { InvalidationReader } from '../../data/shared-memory/invalidation-ring.ts'
import type { Db } from '../../data/store/db.ts'
import { untilCommit } from '../../data/store/until-commit.ts'
import type { Overload } from '../../http/overload/overload.ts'
import type { OnViewer } from '../../http/server/auth.ts'
import type { HttpRequest } from '../../http/server/http-request.ts'
import type { Responding } from '../../http/server/respond.ts'
import type { SideRoutes } from '../../http/server/side-routes.ts'
import type { Needs } from '../../http/xrpc/define.ts'
import type { ServiceAuth } from '../../sources/identity/service-jwt.ts'
import { createAccess } from './http/access.ts'
import { createLiveFeed } from './http/live-feed.ts'
import { createLineStreams } from './http/ndjson.ts'
import { createPoster } from './http/poster.ts'
import { createEventsRoute, createTimelineRoutes } from './http/routes.ts'
import type { SharedByNodes } from './http/shared-by-nodes.ts'
import { createStreams, STREAM_LIMITS, type Streams } from './http/streams.ts'
import { timelineWriter } from './requests.ts'
import { networkGraph } from './sources/graph-source.ts'
import { createListReading } from './sources/open-lists.ts'
import { createOpenSource, prepareReaders } from './sources/open-sources.ts'
import { createCursors } from './sources/signed-cursor.ts'
import { createTimelines } from './sources/timelines.ts'
import { prepareCustomGraphs } from './store/read/custom-graphs.ts'
import { validSigningKeys } from './store/signing-keys.ts'

type TimelineService = {
  /** For the server's `sideRoutes`. */
  routes: SideRoutes[]
  streams: Streams
  close(): void
}

export function timelineRoutes(parts: {
  config: Config
  db: Db
  actors: ActorReader
  names: Needs<'names'>['names']
  graph: FollowGraphReader
  isDrawn: IsDrawn
  memory: Pick<SharedMemory, 'invalidations'>
  ingest: Pick<IngestConnection, 'askFeature' | 'onIdentitiesChanged'>
  overload: Overload
  responding: Responding
  serviceAuth: ServiceAuth
  onViewer: OnViewer
  isMember: (did: string) => boolean
  onFatal: (error: unknown) => void
  /** What several nodes share. */
  shared: SharedByNodes
}): TimelineService {
  const { timelines: shared, following } = parts.shared
  const { config, actors, db, graph, names, onFatal, overload } = parts
  const writer = timelineWriter(parts.ingest)
  const ownKeys = untilCommit<SigningKeys>(db, (last) => signingKeys(db, last))
  const cursors = createCursors(() => [...(shared ? sharedKeys(shared) : []), ...ownKeys()])
  const readers = prepareReaders(parts, new InvalidationReader(parts.memory.invalidations))
  const { begin } = readers
  const open = createOpenSource({ ...parts, logs: following }, readers)
  const timelines = createTimelines({
    db,
    cursors,
    open,
    begin,
    prepare: createListReading(parts, readers),
  })
  const share = (most: number) => Math.ceil(most / config.serveThreads)
  const streams = createStreams({
    feed: createLiveFeed(parts, readers),
    cursors,
    begin,
    invalidations: parts.memory.invalidations,
    onError: onFatal,
    limits: { ...STREAM_LIMITS, all: share(STREAM_LIMITS.all) },
  })
  const routed = {
    db,
    actors,
    names,
    timelines,
    streams,
    ingest: writer,
    shared,
    following,
    network: networkGraph({ actors, graph }),
    graphs: prepareCustomGraphs(db),
    lines: createLineStreams(onFatal),
    access: createAccess({ ...parts, onIdentitiesChanged: parts.ingest.onIdentitiesChanged }),
    overload,
    poster: createPoster(shared ? { writeTimelines: ({ posts }) => shared.post(posts) } : writer),
    respond: parts.responding.respondTo,
  }
  const nameOf = (request: HttpRequest) => webPath(routeOf(request))
  const direct = { path: '/v1/timelines/', answering: createEventsRoute(routed), nameOf }
  // The service charges its callers itself, not by address.
  const charge = { route: routeOf, points: 0, from: 'visitor' } as const
  return {
    routes: [{ path: '/v1', app: createTimelineRoutes(routed), direct, charges: [charge] }],
    streams,
    close: () => streams.close(),
  }
}

/** The name for request counters. */
function routeOf({ method, path }: HttpRequest): WebRoute {
  if (/^\/v1\/graphs?\//.test(path)) return 'graph'
  if (!/^\/v1\/timelines\/[^/]*\/events$/.test(path)) return 'timelines'
  return method === 'POST' ? 'timeline-posts' : 'timeline-pages'
}

/** Without shared keys, other nodes would refuse this node's cursors, and this node theirs. */
function sharedKeys(shared: Pick<NonNullable<SharedByNodes['timelines']>, 'cursorKeys'>) {
  const keys = shared.cursorKeys()
  if (keys.length === 0)
    throw unavailable('Cursors can’t be read until the engine is first reached')
  return keys
}

type SigningKeys = ReturnType<typeof validSigningKeys>

/** Returns the same array while the keys are unchanged, since cached signers depend on it. */
function signingKeys(db: Db, last: SigningKeys | undefined): SigningKeys {
  const keys = validSigningKeys(db)
  if (keys.length === 0) throw unavailable('Cursors can’t be signed yet')
  const isSame = last?.length === keys.length && keys.every(({ id }, i) => id === last[i]!.id)
  return isSame ? last : keys
}
