// The sockets of the dataplane's port, with or without TLS: HTTP/1.1 and HTTP/2 share one port and are told
// apart by a connection's first bytes. Requests without the secret are refused before any of the body is
// read, and their connection is closed. HTTP/1.1 has the limits of the server's own port.

import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import {
  constants,
  createServer as createHttp2,
  type Http2Server,
  type Http2ServerRequest,
  type Http2Session,
  type Http2Stream,
} from 'node:http2'
import { createServer as createTcp, type Socket, type Server as TcpServer } from 'node:net'
import { createServer as createTls, type TlsOptions } from 'node:tls'
import { ConfigError } from '../../../base/config/config.ts'
import { isSameSecret } from '../../../base/util/secrets.ts'
import { createConnectionLimit } from '../../../http/server/listening/address-connections.ts'
import {
  drain,
  type Listener,
  type ListenerLimits,
  listenOn,
  startHttp,
  takeSockets,
} from '../../../http/server/listening/listener.ts'
import type { DataplaneSettings } from '../settings.ts'
import { limitBegunStreams } from './begun-streams.ts'
import type { Grpc } from './grpc.ts'

export type Incoming = IncomingMessage | Http2ServerRequest
/** The common interface of both kinds of response. */
export type Outgoing = {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}
type Answer = (request: Incoming, response: never) => void

export type DataplaneListener = { port: number; close(): Promise<void> }

const PREFACE = 'PRI * HTTP/2.0'
const MAX_CONNECTIONS = 1_024
/** Keeps one address from taking all connections; a frontend on HTTP/1.1 may need hundreds. */
const MAX_OF_ADDRESS = 512
const MAX_STREAMS = 512
/** Until a session has shown the secret; clients take as many for granted before they are told. */
const MAX_UNPROVEN_STREAMS = 100
/** Also those that were reset. */
const MAX_UNPROVEN_BEGUN = 200
const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 30_000
const DRAIN_MS = 2_000

/** Requests of an HTTP/2 session that are answered with a refusal, before it is ended. */
const MAX_REFUSED = 8

const proven = { maxConcurrentStreams: MAX_STREAMS }
const unproven = { maxConcurrentStreams: MAX_UNPROVEN_STREAMS }
const MAX_SESSION_MB = 64
const isProxy = () => false

/** Handles authorized requests. `grpc` may take over an HTTP/2 stream. */
type Answers = { answer: Answer; grpc: Grpc }

type ListenOptions = {
  config: Omit<DataplaneSettings, 'dataplaneNotificationDays'>
  reusePort?: boolean | undefined
  /**
   * An HTTP/2 session without an authorized call is closed after this time, to free its connection.
   */
  secretWithinMs?: number
  /**
   * An HTTP/2 stream idle for this long is closed, with a partial request or an answer that is not
   * read.
   */
  streamIdleMs?: number
  maxOfAddress?: number
  /** Overrides of the usual limits of HTTP/1.1. */
  http1Limits?: Partial<ListenerLimits>
}

/** @throws errors of listening, and ConfigError for TLS files that cannot be read. */
export async function listen(answers: Answers, options: ListenOptions): Promise<DataplaneListener> {
  const { config, reusePort = false } = options
  const { secretWithinMs = HEADERS_TIMEOUT_MS, maxOfAddress = MAX_OF_ADDRESS } = options
  const { streamIdleMs = REQUEST_TIMEOUT_MS, http1Limits } = options
  const { onSocket, http1, sessions, stopLimiting } = speakers(answers, {
    token: config.dataplaneToken,
    secretWithinMs,
    streamIdleMs,
    http1Limits,
  })
  const server = config.dataplaneTlsCert
    ? createTls(tlsOptions(config, config.dataplaneTlsCert), onSocket)
    : createTcp(onSocket)
  const sockets = new Set<Socket>()
  server.maxConnections = MAX_CONNECTIONS
  const mayConnect = createConnectionLimit(maxOfAddress, isProxy)
  // For TLS too, this runs before the handshake.
  server.on('connection', (socket: Socket) => {
    if (!mayConnect(socket)) return
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  const { dataplaneBind: host, dataplanePort: port } = config
  const listening = await listenOn(server, { host, port, ...(reusePort && { reusePort }) })
  return {
    ...listening,
    close() {
      stopLimiting()
      return close(server, { http1, sessions, sockets })
    },
  }
}

function tlsOptions(config: ListenOptions['config'], cert: string): TlsOptions {
  const ca = config.dataplaneTlsClientCa
  return {
    ALPNProtocols: ['h2', 'http/1.1'],
    handshakeTimeout: HEADERS_TIMEOUT_MS,
    cert: readPem('CERT', cert),
    key: readPem('KEY', config.dataplaneTlsKey!),
    ...(ca !== undefined && {
      ca: readPem('CLIENT_CA', ca),
      requestCert: true,
      rejectUnauthorized: true,
    }),
  }
}

type Check = (headers: { authorization?: string | undefined }) => boolean

/** Whether the request carries the secret. */
function checkOf(token: string | undefined): Check {
  if (token === undefined) return () => true
  return ({ authorization = '' }) => isSameSecret(authorization, `Bearer ${token}`)
}

/** Speaks HTTP/1.1 and HTTP/2 on sockets passed to it. */
function speakers(
  { answer, grpc }: Answers,
  options: {
    token: string | undefined
    secretWithinMs: number
    streamIdleMs: number
    http1Limits: Partial<ListenerLimits> | undefined
  },
) {
  const { token, secretWithinMs, streamIdleMs, http1Limits } = options
  const mayAsk = checkOf(token)
  const guarded = (request: Incoming, response: Outgoing): void => {
    if (mayAsk(request.headers)) answered(answer, request, response)
    else refuse(request, response, 401)
  }
  const limits = { maxConnectionsEach: MAX_CONNECTIONS, drainMs: DRAIN_MS, ...http1Limits }
  const http1 = startHttp(guarded, { threads: 1, isProxy, limits })
  const http2 = createHttp2({ settings: unproven, maxSessionMemory: MAX_SESSION_MB })
  // Never listens: only wraps streams in requests and responses.
  const compatible = createHttp2(guarded)
  const awaited = new WeakMap<Http2Session, NodeJS.Timeout>()
  const refusals = countRefusals()
  const trust = (session: Http2Session) => {
    const timer = awaited.get(session)
    if (!timer) return
    clearTimeout(timer)
    awaited.delete(session)
    if (!session.closed && !session.destroyed) session.settings(proven)
  }
  http2.on('session', (session) => {
    const timer = setTimeout(() => session.destroy(), secretWithinMs)
    session.once('close', () => clearTimeout(timer))
    awaited.set(session, timer)
  })
  http2.on('stream', (stream, headers, flags, rawHeaders) => {
    stream.setTimeout(streamIdleMs, closeStream)
    stream.on('error', () => stream.destroy())
    const isAllowed = mayAsk(headers)
    if (!isAllowed && !refusals.mayAnswer(stream.session)) return
    if (isAllowed && stream.session) trust(stream.session)
    if (isAllowed && grpc(stream, headers)) return
    compatible.emit('stream', stream, headers, flags, rawHeaders)
  })
  const stopLimiting = limitBegunStreams((session) => awaited.has(session), MAX_UNPROVEN_BEGUN)
  return { onSocket: byProtocol(http1, http2), http1, sessions: sessionsOf(http2), stopLimiting }
}

/**
 * A session that asks without the secret gets its answers and is closed. Of one that asks on, Node would
 * begin all requests that it has read, thousands in one go, so it is ended.
 */
function countRefusals() {
  const counts = new WeakMap<Http2Session, number>()
  return {
    mayAnswer(session: Http2Session | undefined): boolean {
      if (!session || session.destroyed) return false
      const count = (counts.get(session) ?? 0) + 1
      counts.set(session, count)
      if (count > MAX_REFUSED) session.destroy()
      else if (!session.closed) session.close()
      return count <= MAX_REFUSED
    },
  }
}

function closeStream(this: Http2Stream): void {
  this.close(constants.NGHTTP2_CANCEL)
}

/** The adapter throws for a Host that is invalid in a URL. */
function answered(answer: Answer, request: Incoming, response: Outgoing): void {
  try {
    answer(request, response as never)
  } catch {
    refuse(request, response, 400)
  }
}

function refuse(request: Incoming, response: Outgoing, status: 400 | 401): void {
  response.statusCode = status
  if (status === 401) response.setHeader('www-authenticate', 'Bearer')
  if (request.httpVersionMajor === 1) response.setHeader('connection', 'close')
  response.end('')
  request.resume()
}

/** Tells the protocol by a connection's first bytes. */
function byProtocol(http1: Listener, http2: Http2Server): (socket: Socket) => void {
  const take = takeSockets(http1)
  return (socket) => {
    socket.on('error', () => socket.destroy())
    socket.setTimeout(HEADERS_TIMEOUT_MS, () => socket.destroy())
    onFirstBytes(socket, (first) => {
      socket.setTimeout(0)
      socket.removeAllListeners('timeout')
      if (first.startsWith(PREFACE)) http2.emit('connection', socket)
      else take(socket)
    })
  }
}

/**
 * Reads enough bytes to recognise the preface, however fragmented, and puts them back for the
 * protocol's own handler.
 */
function onFirstBytes(
  socket: Socket,
  found: (first: string) => void,
  seen = Buffer.alloc(0),
): void {
  const more: Buffer | null = socket.read()
  const all = more === null ? seen : Buffer.concat([seen, more])
  const first = all.toString('latin1', 0, PREFACE.length)
  if (first.length < PREFACE.length && PREFACE.startsWith(first)) {
    socket.once('readable', () => onFirstBytes(socket, found, all))
  } else {
    socket.unshift(all)
    found(first)
  }
}

function sessionsOf(server: {
  on(event: 'session', heard: (http2Session: Http2Session) => void): unknown
}) {
  const sessions = new Set<Http2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.on('error', () => session.destroy())
  })
  return sessions
}

function readPem(name: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new ConfigError(
      `SLIPSTREAM_DATAPLANE_TLS_${name} cannot be read: ${(error as Error).message}.`,
      'Make it a PEM file that Slipstream’s user may read.',
    )
  }
}

type Open = { http1: Listener; sessions: Set<Http2Session>; sockets: Set<Socket> }

/** Lets running requests finish within DRAIN_MS. */
async function close(server: TcpServer, { http1, sessions, sockets }: Open): Promise<void> {
  for (const session of sessions) session.close()
  const late = setTimeout(() => {
    for (const socket of sockets) socket.destroy()
  }, DRAIN_MS)
  await drain(http1, server)
  clearTimeout(late)
}
