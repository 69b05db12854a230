// What a feature does in each serving thread: methods, metrics, services in the DID document, routes beside
// XRPC, and work of its own.

import type { FollowGraphReader, TimelineReader } from '@slipstream/follow-graph'
import type { Hono } from 'hono'
import type { Hydrator } from '../answers/hydrate/hydrator-types.ts'
import type { Searching } from '../answers/skeleton/search/searches.ts'
import type { Config } from '../base/config/config.ts'
import { type FeatureGauge, loadParts } from '../base/feature.ts'
import type { Logger } from '../base/obs/log.ts'
import type { MetricSource } from '../base/obs/metric.ts'
import type { IngestConnection } from '../bridge/connection.ts'
import type { SharedMemory, Writer } from '../bridge/messages.ts'
import type { Draw } from '../data/graph/lossiness.ts'
import type { ActorReader } from '../data/graph/types.ts'
import type { Db } from '../data/store/db.ts'
import type { GuardedFetch } from '../sources/identity/guarded-fetch.ts'
import type { Resolver } from '../sources/identity/resolver.ts'
import type { ServiceAuth } from '../sources/identity/service-jwt.ts'
import type { MetricContext } from './metrics/metrics.ts'
import type { Explored } from './operator/explored.ts'
import type { Reports } from './operator/feature-report.ts'
import type { Overload } from './overload/overload.ts'
import type { RateBuffers } from './overload/rate-limits.ts'
import type { Sharing, SharingContext } from './serve/sharing.ts'
import type { OnViewer } from './server/auth.ts'
import type { Html } from './server/html.ts'
import type { Connected } from './server/http-request.ts'
import type { PageLanguage } from './server/page-language.ts'
import type { Responding } from './server/respond.ts'
import type { SideRoutes } from './server/side-routes.ts'
import type { SlowRequests } from './server/slow-requests.ts'
import type { DidService } from './server/well-known.ts'
import type { AppContext } from './xrpc/app-context.ts'
import type { MethodDefinition } from './xrpc/define.ts'
import type { Elsewhere, ElsewhereContext } from './xrpc/elsewhere.ts'
import type { OwnFeed } from './xrpc/feeds/own-feeds.ts'

export type ServeFeature = Reports &
  Explored & {
    methods?(config: Config): readonly MethodDefinition[]
    metrics?(context: MetricContext): MetricSource[]
    /** Names of calls outside XRPC that are counted among the methods, in the form of NSIDs. */
    callNames?(config: Config): readonly string[]
    /** A form for visitors at the top of the first page, which is sent to this server. */
    firstPage?(config: Config, language: PageLanguage): Html | undefined
    /** Services of ours that the DID document names. */
    didServices?(config: Config): readonly DidService[]
    /** Memory that its parts in all serving threads share, made once. */
    createShared?(config: Config): unknown
    /** Routes on the operator's socket and behind the operator's token. */
    operatorRoutes?(app: Hono, context: OperatorRouteContext): void
    /** What an operator can do about its errors in the ingest thread, by their names. */
    operatorHints?: Readonly<Record<string, string>>
    /**
     * Called once in each serving thread, before all else: what it shares with other nodes;
     * undefined if this feature shares nothing.
     */
    share?(context: SharingContext): Sharing | undefined
    /**
     * Called once in each serving thread, before methods are bound: what it knows from elsewhere;
     * undefined if it asks nobody.
     */
    elsewhere?(context: ElsewhereContext): Elsewhere | undefined
    /** When it answers our methods, wholly or in part, by NSID: for docs/METHODS.md. */
    answersWhen?: Readonly<Record<string, string>>
    /** Called once in each serving thread, before it listens. */
    start?(context: ServeContext): ServePart
  }

type OperatorRouteContext = {
  config: Config
  db: Db
  ingest: Pick<IngestConnection, 'operate'>
  log: Pick<Logger, 'info'>
  /** Reads a bounded body, which must be an object in JSON. */
  readJson(request: { text(): Promise<string> }): Promise<object>
}

export type ServeContext = {
  config: Config
  log: Logger
  /** Index of the serving thread, from 0. */
  thread: number
  ingest: IngestConnection
  memory: SharedMemory
  /** A read-only connection. */
  db: Db
  actors: ActorReader
  graph: FollowGraphReader
  timelines: TimelineReader
  search: Searching
  /** Whether a lossy timeline keeps an item. */
  isDrawn: (owner: number, item: number) => boolean
  /** The number drawn for an item, by its id. */
  draw: Draw
  hydrator: Hydrator
  app: AppContext
  writer: Writer
  resolver: Resolver
  fetch: GuardedFetch
  overload: Overload
  /** The one way to answer, for routes that answer before the server's router. */
  responding: Responding
  serviceAuth: ServiceAuth
  isMember: (did: string) => boolean
  /** Admits an account that reads; throws if it may not, or rejects if other nodes share in that. */
  onViewer: OnViewer
  /** Counts an answer outside of the server's own routes. */
  onAnswered: (path: string, status: number, seconds: number) => void
  slowRequests: Pick<SlowRequests, 'list'>
  /** All of them, for what they add to each other's pages. */
  features: readonly ServeFeature[]
  rateBuffers: RateBuffers
  /** What a feature shares with other nodes for other features, by their names. */
  sharedByNodes: Readonly<Record<string, unknown>>
  /** Ends the process. */
  onFatal: (error: unknown) => void
  /** What `createShared` of the same feature returned. */
  shared: unknown
  /**
   * Answers a request as the server answers a visitor's: for pages that are made here. It waits and
   * pays like one of the page's own visitor, whose connection is `by`; without one, for nobody.
   */
  visit: (request: Request, by?: Connected) => Promise<Response>
}

export type ServePart = {
  routes?: readonly SideRoutes[]
  /** A page for browsers, for an address that leads nowhere; undefined for programs, which get JSON. */
  notFound?(request: Request): Response | undefined
  /** Feeds that are made here, not by a generator elsewhere. */
  feeds?: readonly OwnFeed[]
  /** Hears of the thread's time that a member's call took, turn by turn; must be quick. */
  onMemberTime?(did: string, ms: number): void
  /** The current values, read once a second. */
  gauges?(): Readonly<Record<FeatureGauge, number>>
  /**
   * Called before the server listens, for a port of its own.
   * @throws errors of listening
   */
  listen?(how: { reusePort?: boolean }): Promise<void>
  /** Called when the server begins to close, which ends once this has resolved, too. */
  close?(): void | Promise<void>
}

export function loadServeFeatures(): Promise<readonly ServeFeature[]> {
  return loadParts('serve')
}

/** The first that asks elsewhere. */
export function elsewhereOf(
  list: readonly ServeFeature[],
  context: ElsewhereContext,
): Elsewhere | undefined {
  for (const feature of list) {
    const elsewhere = feature.elsewhere?.(context)
    if (elsewhere) return elsewhere
  }
  return undefined
}

/** Starts all of them; what they do in this thread, as one. */
export function startFeatures(
  list: readonly ServeFeature[],
  { shared, ...parts }: Omit<ServeContext, 'shared' | 'features'> & { shared: readonly unknown[] },
): Required<Omit<ServePart, 'feeds' | 'close'>> & { close(): Promise<void> } {
  const started = list.flatMap(
    (feature, i) => feature.start?.({ ...parts, shared: shared[i], features: list }) ?? [],
  )
  const timed = started.filter(({ onMemberTime }) => onMemberTime)
  for (const feed of started.flatMap(({ feeds = [] }) => feeds)) parts.app.ownFeeds.add(feed)
  return {
    routes: started.flatMap(({ routes = [] }) => routes),
    notFound(request) {
      for (const part of started) {
        const page = part.notFound?.(request)
        if (page) return page
      }
      return undefined
    },
    onMemberTime(did, ms) {
      for (const part of timed) part.onMemberTime!(did, ms)
    },
    gauges: () => Object.assign({}, ...started.map(({ gauges }) => gauges?.())),
    async listen(how) {
      for (const part of started) await part.listen?.(how)
    },
    async close() {
      await Promise.all(started.map((part) => part.close?.()))
    },
  }
}
