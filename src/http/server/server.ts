// HTTP around the methods: routes, request ids, logging of failures.
//
// There are two entry points. hono routes everything, and tests call it. Queries of known methods, nearly all
// requests, go straight from Node's server to dispatch: the platform's Request and Response would dominate
// the cost around a handler. Both paths meet in `respond`, so there is one implementation.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import { createRangeCheck } from '../../base/config/address-ranges.ts'
import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/obs/log.ts'
import { version } from '../../base/util/version.ts'
import { loadLexicons } from '../../data/lexicons/lexicons.ts'
import { createOnceBuffer, OnceTable } from '../../data/shared-memory/once-table.ts'
import type { ServiceAuth } from '../../sources/identity/service-jwt.ts'
import { createOverload, type Overload } from '../overload/overload.ts'
import { createRateBuffers } from '../overload/rate-limits.ts'
import type { AcceptLabelers } from './accepted-labelers.ts'
import { type Answer, errorAnswer, isBroken, toXRPCError } from './answer.ts'
import { createAuthenticate, type OnViewer } from './auth.ts'
import { answerDirectly } from './direct-routes.ts'
import { createDispatch, type Dispatch } from './dispatch.ts'
import { type Health, healthAnswer } from './health.ts'
import {
  BASE_HEADERS,
  type FinishedAnswer,
  finishAnswer,
  toResponse,
  writeAnswer,
} from './http-answer.ts'
import { type HttpRequest, NodeQuery, ofPlatform } from './http-request.ts'
import { drain, type Listener, type ListenerLimits, listenOn, startHttp } from './listener.ts'
import type { Method } from './method.ts'
import { type Connected, mountSideRoutes, type SideRoutes } from './side-routes.ts'
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

type Respond = (
  request: HttpRequest,
  answer: () => Promise<Answer> | Answer,
) => Promise<FinishedAnswer>

const HANDLER_TIMEOUT_MS = 30_000
const CORS_MAX_AGE_SECONDS = '86400'
const XRPC = '/xrpc/'

export function createServer(options: ServerOptions): Server {
  const { config, serviceAuth, onViewer } = options
  const state = { isDraining: false }
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
  const respondUncounted = createRespond(options, { state, overload })
  const respond = counted(respondUncounted, options.onAnswered)
  const health = (): Health =>
    state.isDraining
      ? { ok: false, version, error: 'this node is about to stop' }
      : options.health()
  const app = createApp({ ...options, health }, { dispatch, respond, respondUncounted, overload })
  const fetch = (request: Request, env?: Connected) => app.fetch(request, env)
  let listener: Listener | undefined

  return {
    fetch,
    async listen({ reusePort = false } = {}) {
      const queries = new Set(
        options.methods.filter(({ kind }) => kind === 'query').map(({ nsid }) => nsid),
      )
      const answer = createRequestListener({ fetch, queries, dispatch, respond, options })
      listener = startHttp(answer, {
        threads: config.serveThreads,
        isProxy: createRangeCheck(config.trustedProxies),
        limits: options.listenerLimits,
      })
      return listenOn(listener.http, { port: config.port, host: config.bind, reusePort })
    },
    leave() {
      state.isDraining = true
    },
    async close() {
      state.isDraining = true
      if (listener?.http.listening) await drain(listener)
    },
  }
}

/** Turns everything thrown along the way into an answer and a log line. */
function createRespond(
  options: ServerOptions,
  { state, overload }: { state: { isDraining: boolean }; overload: Overload },
): Respond {
  const nextRequestId = createRequestIds()
  return async (request, answer) => {
    const envelope = { requestId: nextRequestId(), isDraining: state.isDraining }
    try {
      return await finishAnswer(request, await answer(), envelope)
    } catch (error) {
      const { status } = toXRPCError(error)
      // Refusing an unknown method costs nothing, and a refusal must not hide a bug of our own.
      const refused = status === 501 ? undefined : overload.chargeFailure(request)
      const known = (status !== 500 && refused) || toXRPCError(error)
      report(options, { error, known, requestId: envelope.requestId, request })
      return finishAnswer(request, errorAnswer(known), envelope)
    }
  }
}

function counted(respond: Respond, onAnswered: ServerOptions['onAnswered']): Respond {
  if (!onAnswered) return respond
  return async (request, answer) => {
    const startedAt = performance.now()
    const finished = await respond(request, answer)
    onAnswered(request.path, finished.status, (performance.now() - startedAt) / 1000)
    return finished
  }
}

type AppParts = {
  dispatch: Dispatch
  respond: Respond
  respondUncounted: Respond
  overload: Overload
}

function createApp(options: ServerOptions, parts: AppParts) {
  const { dispatch, respond, respondUncounted, overload } = parts
  const { config, health } = options
  const pages = wellKnownPages(config, options.didServices ?? [])

  async function send({ req, env }: Asked, answer: (request: HttpRequest) => ToAnswer) {
    const request = ofPlatform(req.raw, env?.incoming?.socket.remoteAddress)
    return toResponse(request, await respond(request, () => answer(request)))
  }

  function answerXrpc(nsid: string, request: HttpRequest): ToAnswer {
    const isHealth = nsid === '_health' && (request.method === 'GET' || request.method === 'HEAD')
    return isHealth ? healthAnswer(health, request.search) : dispatch(nsid, request)
  }

  // One pattern for everything under /xrpc/ keeps hono on its fastest router.
  const app = new Hono<{ Bindings: Connected }>({ strict: false })
  app.options('*', (c) => preflight(c.req.raw))
  app.all('/xrpc/:nsid', (c) => {
    const nsid = c.req.param('nsid')
    return send(c, (request) => answerXrpc(nsid, request))
  })
  for (const one of options.sideRoutes ?? []) {
    const { onAnswered } = options
    mountSideRoutes(app, one, { overload, respond: respondUncounted, onAnswered })
  }
  for (const [path, page] of pages) app.get(path, (c) => send(c, () => page))
  app.notFound(async (c) => {
    const answer = await send(c, () => notFound(c.req.path))
    return (answer.status === 404 && options.notFound?.(c.req.raw)) || answer
  })
  return app
}

type Asked = { req: { raw: Request }; env?: Connected }
type ToAnswer = Promise<Answer> | Answer

function notFound(path: string): never {
  if (path.startsWith(XRPC)) throw new XRPCError(400, 'InvalidRequest', 'invalid xrpc path')
  throw new XRPCError(404, 'NotFound', 'There is nothing at this address')
}

function createRequestListener(parts: {
  fetch: (request: Request, env?: Connected) => Promise<Response> | Response
  queries: ReadonlySet<string>
  dispatch: Dispatch
  respond: Respond
  options: ServerOptions
}): (incoming: IncomingMessage, response: ServerResponse) => void {
  const { fetch, queries, dispatch, respond, options } = parts
  const everything = getRequestListener((request, env) => fetch(request, asConnected(env)), {
    hostname: 'localhost',
    errorHandler: () => unreadable(),
    // Would end the connection half a second after a body was refused, and with it requests that a
    // PDS meanwhile sent over it for others. Node reads such a body to its end, within its timeout.
    autoCleanupIncoming: false,
  })

  const isAnswered = answerDirectly(
    (options.sideRoutes ?? []).flatMap(({ direct }) => direct ?? []),
    options,
  )

  async function answerQuery(nsid: string, request: HttpRequest, response: ServerResponse) {
    try {
      const finished = await respond(request, () => dispatch(nsid, request))
      request.clock?.mark('finish')
      writeAnswer(response, finished)
      request.clock?.mark('write')
      options.slowRequests?.add(request, finished.status)
    } catch (error) {
      options.log.error({ path: request.path, err: error }, 'an answer could not be written')
      response.destroy()
    }
  }

  return (incoming, response) => {
    if (isBodiless(incoming)) {
      const request = new NodeQuery(incoming, response)
      const nsid = request.path.startsWith(XRPC) ? request.path.slice(XRPC.length) : ''
      if (queries.has(nsid)) {
        void answerQuery(nsid, request, response)
        return
      }
    }
    if (isAnswered(incoming, response)) return
    void everything(incoming, response)
  }
}

/** Narrows the types: the server speaks only HTTP/1.1. */
function asConnected(env: { incoming: unknown; outgoing: unknown }): Connected {
  return { incoming: env.incoming as IncomingMessage, outgoing: env.outgoing as ServerResponse }
}

function isBodiless({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
}

/** Allows every origin: there are no cookies, only bearer tokens. */
function preflight(request: Request): Response {
  const asked = request.headers.get('access-control-request-headers')
  return new Response(null, {
    status: 204,
    headers: {
      ...BASE_HEADERS,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
      'access-control-allow-headers': asked ?? '*',
      'access-control-max-age': CORS_MAX_AGE_SECONDS,
      vary: 'access-control-request-headers',
    },
  })
}

type Failure = { error: unknown; known: XRPCError; requestId: string; request: HttpRequest }

/** Logs our own failures as errors in full, and clients' errors at debug level. */
function report(options: ServerOptions, { error, known, requestId, request }: Failure): void {
  const { status, error: name, message, hint } = known
  const { method, path } = request
  const line = { requestId, status, error: name, method, path }
  if (status !== 500) {
    options.log.debug({ ...line, message, hint, cause: known.cause }, 'refused')
    return
  }
  options.log.error({ ...line, err: error }, 'request failed')
  if (isBroken(error)) options.onBroken?.(error)
}

/** Short, unique to this process, in order of arrival. */
function createRequestIds(): () => string {
  const prefix = randomBytes(4).toString('hex')
  let count = 0
  return () => `${prefix}-${(count++).toString(36)}`
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
