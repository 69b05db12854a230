// HTTP around the methods: routes, request ids, logging of failures.
//
// There are two entry points. hono routes everything, and tests call it. Queries of known methods, nearly all
// requests, and a few others go straight from Node's server to what answers them (direct-routes.ts). Both paths meet
// in respond.ts, so there is one implementation.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { loadLexicons } from '../../base/atproto/lexicons/lexicons.ts'
import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import { createRangeCheck } from '../../base/util/range-check.ts'
import { version } from '../../base/util/version.ts'
import { createOnceBuffer, OnceTable } from '../../data/shared-memory/once-table.ts'
import type { ServiceAuth } from '../../sources/identity/service-jwt.ts'
import { createOverload, type Overload } from '../overload/overload.ts'
import { createRateBuffers } from '../overload/rate-limits.ts'
import { createAuthenticate, type OnViewer } from './auth.ts'
import { answerDirectly, type DirectRoute } from './direct-routes.ts'
import { createDispatch, type Dispatch } from './dispatch.ts'
import { type Health, healthAnswer } from './health.ts'
import { type Answer, BASE_HEADERS, errorAnswer, type FinishedAnswer } from './http-answer.ts'
import type { Connected, HttpRequest } from './http-request.ts'
import type { AcceptLabelers } from './labelers.ts'
import { createEntrance } from './listening/entrance.ts'
import {
  drain,
  type Listener,
  type ListenerLimits,
  listenOn,
  startHttp,
} from './listening/listener.ts'
import type { SocketBytes } from './listening/socket-bytes.ts'
import type { Method } from './method.ts'
import { createResponding, type Responding, throughRouter } from './respond.ts'
import { mountSideRoutes, type SideRoutes } from './side-routes.ts'
import type { SlowRequests } from './slow-requests.ts'
import { type DidService, wellKnownPages } from './well-known.ts'

type ServerOptions = {
  config: Config
  methods: Method[]
  serviceAuth: ServiceAuth
  health: () => Health
  log: Pick<Logger, 'debug' | 'error' | 'fatal'>
  onViewer?: OnViewer
  /** Whether the account is a member already. */
  isMember?: (did: string) => boolean
  acceptLabelers?: AcceptLabelers
  /** Called for every answer with the request's path and its duration in seconds. */
  onAnswered?: (path: string, status: number, seconds: number) => void
  /** Counts what the listener receives and sends. */
  socketBytes?: SocketBytes
  /** Receives each query of a method once it is written. */
  slowRequests?: SlowRequests
  /** Called when a request that was answered with 500 revealed a broken invariant. */
  onBroken?: (error: unknown) => void
  /** Milliseconds a handler may take. */
  handlerTimeoutMs?: number
  /** Routes other than XRPC: images, the status page, the operator's routes. */
  sideRoutes?: SideRoutes[]
  /** Services of ours that the DID document names besides the AppView. */
  didServices?: readonly DidService[]
  /** A page for browsers instead of the JSON, for an address other than XRPC that leads nowhere. */
  notFound?: (request: Request) => Response | undefined
  /** Charges and schedules calls; by default the server's own. */
  overload?: Overload
  /** Tokens for other services that were used here; shared by all serving threads. */
  usedTokens?: SharedArrayBuffer
  /** The way to respond, if routes beside XRPC share it; by default the server's own. */
  responding?: Responding
  /** Overrides of the usual connection limits. */
  listenerLimits?: Partial<ListenerLimits>
}

export type Server = {
  /** The whole server as a function, without a port. `by`: the connection that pays for it, if any. */
  fetch(request: Request, by?: Pick<Connected, 'incoming'>): Promise<Response> | Response
  /**
   * Listens on `config.bind` and `config.port`; with `reusePort`, other threads of this process may
   * listen there too.
   * @throws if the port is taken, or can't be shared on this system
   */
  listen(options?: { reusePort?: boolean }): Promise<{ port: number }>
  /** Keeps answering but reports itself unhealthy, so that a load balancer moves on. */
  leave(): void
  /** Accepts no more requests; resolves when running ones are answered or the time is up. */
  close(): Promise<void>
}

const HANDLER_TIMEOUT_MS = 30_000
const CORS_MAX_AGE_SECONDS = '86400'
const XRPC = '/xrpc/'

export function createServer(options: ServerOptions): Server {
  const { config, serviceAuth, onViewer } = options
  const overload =
    options.overload ??
    createOverload({ config, buffers: createRateBuffers(), isMember: options.isMember })
  const dispatch = createDispatch({
    methods: options.methods,
    lexicons: loadLexicons(),
    authenticate: createAuthenticate({
      serviceAuth,
      onViewer,
      isMember: options.isMember,
      moderationServices: config.moderationServices,
      operatorToken: config.operatorToken,
      usedTokens: new OnceTable(options.usedTokens ?? createOnceBuffer()),
    }),
    timeoutMs: options.handlerTimeoutMs ?? HANDLER_TIMEOUT_MS,
    acceptLabelers: options.acceptLabelers,
    overload,
  })
  const responding = options.responding ?? createResponding({ ...options, overload })
  const health = (): Health =>
    responding.isDraining
      ? { ok: false, version, error: 'this node is about to stop' }
      : options.health()
  const app = createApp({ ...options, health }, { dispatch, responding, overload })
  const fetch = (request: Request, env?: Connected) => app.fetch(request, env)
  let listener: Listener | undefined

  return {
    fetch,
    async listen({ reusePort = false } = {}) {
      const answer = createRequestListener({ fetch, dispatch, responding, options })
      const isProxy = createRangeCheck(config.trustedProxies)
      const onRefused = (path: string) => options.onAnswered?.(path, 429, 0)
      listener = startHttp(answer, {
        threads: config.serveThreads,
        isProxy,
        entrance: createEntrance({ overload, isProxy, onRefused }),
        limits: options.listenerLimits,
        bytes: options.socketBytes,
      })
      return listenOn(listener.http, { port: config.port, host: config.bind, reusePort })
    },
    leave() {
      responding.drain()
    },
    async close() {
      responding.drain()
      if (listener?.http.listening) await drain(listener)
    },
  }
}

/** Counts an answer by its name, and the seconds until it is finished. */
function counted({ respond }: Responding, onAnswered: ServerOptions['onAnswered']) {
  return async (
    name: string,
    request: HttpRequest,
    answer: () => ToAnswer,
  ): Promise<FinishedAnswer> => {
    if (!onAnswered) return respond(request, answer)
    const startedAt = performance.now()
    const finished = await respond(request, answer)
    onAnswered(name, finished.status, (performance.now() - startedAt) / 1000)
    return finished
  }
}

type ServerContext = {
  dispatch: Dispatch
  responding: Responding
  overload: Overload
}

function createApp(options: ServerOptions, context: ServerContext) {
  const { dispatch, responding, overload } = context
  const { config, health, onAnswered } = options
  const pages = wellKnownPages(config, options.didServices ?? [])

  const respondAs = counted(responding, onAnswered)
  const respond = throughRouter((request, answer) => respondAs(request.path, request, answer))

  function answerXrpc(nsid: string, request: HttpRequest): ToAnswer {
    const isHealth = nsid === '_health' && (request.method === 'GET' || request.method === 'HEAD')
    return isHealth ? healthAnswer(health, request.search) : dispatch(nsid, request)
  }

  // One pattern for everything under /xrpc/ keeps hono on its fastest router.
  const app = new Hono<{ Bindings: Connected }>({ strict: false })
  app.options('*', (c) => preflight(c.req.raw))
  app.all('/xrpc/:nsid', (c) => {
    const nsid = c.req.param('nsid')
    return respond(c, (request) => answerXrpc(nsid, request))
  })
  for (const route of options.sideRoutes ?? []) {
    mountSideRoutes(app, route, { overload, respond: responding.respondTo, onAnswered })
  }
  for (const [path, page] of pages) app.get(path, (c) => respond(c, () => page))
  app.notFound(async (c) => {
    const answer = await respond(c, () => notFound(c.req.path))
    return (answer.status === 404 && options.notFound?.(c.req.raw)) || answer
  })
  app.onError((error, c) => responding.respondTo(c, () => Promise.reject(error)))
  return app
}

type ToAnswer = Promise<Answer> | Answer

function notFound(path: string): never {
  if (path.startsWith(XRPC)) throw new XRPCError(400, 'InvalidRequest', 'invalid xrpc path')
  throw new XRPCError(404, 'NotFound', 'There is nothing at this address')
}

function createRequestListener(parts: {
  fetch: (request: Request, env?: Connected) => Promise<Response> | Response
  dispatch: Dispatch
  responding: Responding
  options: ServerOptions
}): (incoming: IncomingMessage, response: ServerResponse) => void {
  const { fetch, dispatch, responding, options } = parts
  const everything = getRequestListener((request, env) => fetch(request, asConnected(env)), {
    hostname: 'localhost',
    errorHandler: () => unreadable(),
    // Would end the connection half a second after a body was refused, and with it requests that a
    // PDS meanwhile sent over it for others. Node reads such a body to its end, within its timeout.
    autoCleanupIncoming: false,
  })

  const isAnswered = answerDirectly(
    [
      xrpcQueries(options.methods, dispatch),
      ...(options.sideRoutes ?? []).flatMap(({ direct }) => direct ?? []),
    ],
    { ...options, respondAs: counted(responding, options.onAnswered) },
  )
  return (incoming, response) => {
    if (!isAnswered(incoming, response)) void everything(incoming, response)
  }
}

function xrpcQueries(methods: readonly Method[], dispatch: Dispatch): DirectRoute {
  const queries = new Set(methods.filter(({ kind }) => kind === 'query').map(({ nsid }) => nsid))
  return {
    path: XRPC,
    answering(request) {
      const nsid = request.path.slice(XRPC.length)
      return request.body || !queries.has(nsid) ? undefined : () => dispatch(nsid, request)
    },
  }
}

/** Narrows the types: the server speaks only HTTP/1.1. */
function asConnected(env: { incoming: unknown; outgoing: unknown }): Connected {
  return { incoming: env.incoming as IncomingMessage, outgoing: env.outgoing as ServerResponse }
}

/** Allows every origin: there are no cookies, only bearer tokens. */
function preflight(request: Request): Response {
  const requested = request.headers.get('access-control-request-headers')
  return new Response(null, {
    status: 204,
    headers: {
      ...BASE_HEADERS,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
      'access-control-allow-headers': requested ?? '*',
      'access-control-max-age': CORS_MAX_AGE_SECONDS,
      vary: 'access-control-request-headers',
    },
  })
}

/** The answer to a request whose target is not even a URL. */
function unreadable(): Response {
  const { status, body, headers } = errorAnswer(
    new XRPCError(400, 'InvalidRequest', 'The request is not readable'),
  )
  return new Response(body as Uint8Array<ArrayBuffer> | null, {
    status,
    headers: { ...BASE_HEADERS, ...headers },
  })
}
