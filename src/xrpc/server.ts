// HTTP around the methods: the only file that knows hono. Routes, CORS on everything, compression,
// request ids, the log line of a failure, and a close that lets running requests finish.
//
// CORS and compression are done here in the one function that makes a Response, rather than by
// middleware: most requests want neither, and the rest want a header or two.

import { randomBytes } from 'node:crypto'
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import type { Config } from '../config.ts'
import type { ServiceAuth } from '../identity/service-jwt.ts'
import type { Logger } from '../obs/log.ts'
import { type Answer, errorAnswer, isBroken, toXRPCError } from './answer.ts'
import { createAuthenticate, type OnViewer } from './auth.ts'
import { chooseEncoding, compress, MIN_COMPRESSED_BYTES } from './compression.ts'
import { createDispatch } from './dispatch.ts'
import { XRPCError } from './errors.ts'
import { type Health, healthAnswer } from './health.ts'
import { loadLexicons } from './lexicons.ts'
import type { Method } from './method.ts'
import { wellKnownPages } from './well-known.ts'

export type ServerOptions = {
  config: Config
  methods: Method[]
  serviceAuth: ServiceAuth
  health: () => Health
  log: Pick<Logger, 'debug' | 'error' | 'fatal'>
  onViewer?: OnViewer
  /** A broken invariant came to light in a request, which has got its 500. */
  onBroken?: (error: unknown) => void
  /** Milliseconds a handler may take. */
  handlerTimeoutMs?: number
}

export type Server = {
  /** The whole server as a function, for tests without a port. */
  fetch(request: Request): Promise<Response> | Response
  /** On `config.bind` and `config.port`. @throws if the port is taken. */
  listen(): Promise<{ port: number }>
  /** Takes no more requests, and resolves when the running ones are answered or out of time. */
  close(): Promise<void>
}

const HANDLER_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 90_000
const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 30_000
const SILENT_SOCKET_TIMEOUT_MS = 120_000
const DRAIN_TIMEOUT_MS = 10_000
const DRAIN_CHECK_MS = 50
const MAX_CONNECTIONS = 8192
/** Requests of one connection that wait for their answers. */
const MAX_PIPELINED = 8
const CORS_MAX_AGE_SECONDS = '86400'
const BASE_HEADERS = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' }

export function createServer(options: ServerOptions): Server {
  const state = { isDraining: false }
  const app = createApp(options, state)
  const fetch = (request: Request) => app.fetch(request)
  let listener: Listener | undefined

  return {
    fetch,
    async listen() {
      listener = startHttp(fetch)
      return listenOn(listener.http, options.config)
    },
    async close() {
      state.isDraining = true
      if (listener?.http.listening) await drain(listener)
    },
  }
}

function createApp(options: ServerOptions, state: { isDraining: boolean }): Hono {
  const { config, methods, health, serviceAuth, onViewer } = options
  const dispatch = createDispatch({
    methods,
    lexicons: loadLexicons(),
    authenticate: createAuthenticate({ serviceAuth, onViewer }),
    timeoutMs: options.handlerTimeoutMs ?? HANDLER_TIMEOUT_MS,
  })
  const pages = wellKnownPages(config)
  const nextRequestId = createRequestIds()

  async function respond(request: Request, answer: () => Promise<Answer> | Answer) {
    const requestId = nextRequestId()
    const headers: Record<string, string> = { ...BASE_HEADERS, 'x-request-id': requestId }
    if (state.isDraining) headers['connection'] = 'close'
    try {
      return await toResponse(request, await answer(), headers)
    } catch (error) {
      const known = toXRPCError(error)
      report(options, { error, known, requestId, request })
      return toResponse(request, errorAnswer(known), headers)
    }
  }

  function respondXrpc(nsid: string, request: Request) {
    const isHealth = nsid === '_health' && (request.method === 'GET' || request.method === 'HEAD')
    return respond(request, () => (isHealth ? healthAnswer(health) : dispatch(nsid, request)))
  }

  // One pattern for everything under /xrpc/ keeps hono on its fastest router.
  const app = new Hono({ strict: false })
  app.options('*', (c) => preflight(c.req.raw))
  app.all('/xrpc/:nsid', (c) => respondXrpc(c.req.param('nsid'), c.req.raw))
  for (const [path, page] of pages) app.get(path, (c) => respond(c.req.raw, () => page))
  app.notFound((c) => respond(c.req.raw, () => notFound(c.req.path)))
  return app
}

function notFound(path: string): never {
  if (path.startsWith('/xrpc/')) throw new XRPCError(400, 'InvalidRequest', 'invalid xrpc path')
  throw new XRPCError(404, 'NotFound', 'There is nothing at this address')
}

async function toResponse(
  request: Request,
  answer: Answer,
  headers: Record<string, string>,
): Promise<Response> {
  Object.assign(headers, answer.headers)
  let { body } = answer
  if (body && body.length >= MIN_COMPRESSED_BYTES && !headers['content-encoding']) {
    headers['vary'] = 'accept-encoding'
    const encoding = chooseEncoding(request.headers.get('accept-encoding') ?? undefined)
    if (encoding !== 'identity') {
      body = await compress(body, encoding)
      headers['content-encoding'] = encoding
    }
  }
  if (request.method === 'HEAD') headers['content-length'] = String(body?.length ?? 0)
  return new Response(body as Uint8Array<ArrayBuffer> | null, { status: answer.status, headers })
}

/** Any origin may ask anything: there are no cookies here, only bearer tokens. */
function preflight(request: Request): Response {
  const asked = request.headers.get('access-control-request-headers')
  return new Response(null, {
    status: 204,
    headers: {
      ...BASE_HEADERS,
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-headers': asked ?? '*',
      'access-control-max-age': CORS_MAX_AGE_SECONDS,
      vary: 'access-control-request-headers',
    },
  })
}

type Failure = { error: unknown; known: XRPCError; requestId: string; request: Request }

/** Ours is an error with all there is to know; a client's is worth a line when debugging. */
function report(options: ServerOptions, { error, known, requestId, request }: Failure): void {
  const { status, error: name, message, hint } = known
  const { pathname } = new URL(request.url)
  const line = { requestId, status, error: name, method: request.method, path: pathname }
  if (status !== 500) {
    options.log.debug({ ...line, message, hint, cause: known.cause }, 'refused')
    return
  }
  options.log.error({ ...line, err: error }, 'request failed')
  if (isBroken(error)) options.onBroken?.(error)
}

/** Short, unique to this process, and in the order of arrival. */
function createRequestIds(): () => string {
  const prefix = randomBytes(4).toString('hex')
  let count = 0
  return () => `${prefix}-${(count++).toString(36)}`
}

type Listener = {
  http: HttpServer
  /** Connections that have not asked anything yet: Node counts them neither as idle nor as active. */
  silent: Set<Socket>
}

function startHttp(fetch: Server['fetch']): Listener {
  const silent = new Set<Socket>()
  const mayAsk = createPipelineLimit()
  const listener = getRequestListener((request) => fetch(request), {
    hostname: 'localhost',
    errorHandler: () => unreadable(),
  })
  const http = createHttpServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
    },
    (request, response) => {
      const { socket } = request
      silent.delete(socket)
      if (mayAsk(socket, response)) void listener(request, response)
    },
  )
  http.on('connection', (socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  http.timeout = SILENT_SOCKET_TIMEOUT_MS
  http.maxConnections = MAX_CONNECTIONS
  return { http, silent }
}

/**
 * No client of ours asks much before it is answered, and Node would start all that it has read: a
 * few kilobytes of requests are seconds of work, ahead of everybody else's.
 */
function createPipelineLimit(): (socket: Socket, response: ServerResponse) => boolean {
  const waiting = new WeakMap<Socket, number>()
  return (socket, response) => {
    if (socket.destroyed) return false
    const count = (waiting.get(socket) ?? 0) + 1
    waiting.set(socket, count)
    if (count > MAX_PIPELINED) {
      socket.destroy()
      return false
    }
    response.once('close', () => waiting.set(socket, waiting.get(socket)! - 1))
    return true
  }
}

/** For what is not even a URL. */
function unreadable(): Response {
  const { status, body, headers } = errorAnswer(
    new XRPCError(400, 'InvalidRequest', 'The request is not readable'),
  )
  return new Response(body as Uint8Array<ArrayBuffer> | null, {
    status,
    headers: { ...BASE_HEADERS, ...headers },
  })
}

function listenOn(http: HttpServer, { port, bind }: Config): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, bind, () => {
      http.off('error', reject)
      resolve({ port: (http.address() as AddressInfo).port })
    })
  })
}

async function drain({ http, silent }: Listener): Promise<void> {
  const closed = new Promise((resolve) => http.close(resolve))
  for (const socket of silent) socket.destroy()
  const idle = setInterval(() => http.closeIdleConnections(), DRAIN_CHECK_MS)
  const late = setTimeout(() => http.closeAllConnections(), DRAIN_TIMEOUT_MS)
  await closed
  clearInterval(idle)
  clearTimeout(late)
}
