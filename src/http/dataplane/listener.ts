// The sockets of the dataplane's port: HTTP/1.1 and HTTP/2 on one, told apart by a connection's first bytes
// where there is no TLS, and by TLS itself where there is. Whoever does not show the secret is refused before
// anything of the body is read.

import { timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer as createHttp1, type IncomingMessage } from 'node:http'
import {
  createServer as createHttp2,
  createSecureServer,
  type Http2ServerRequest,
  type Http2Session,
} from 'node:http2'
import { createServer as createTcp, type Server, type Socket } from 'node:net'
import type { Config } from '../../base/config/config.ts'
import { ConfigError } from '../../base/config/config.ts'
import { listenOn } from '../server/listener.ts'

export type Incoming = IncomingMessage | Http2ServerRequest
/** What both kinds of answers have in common. */
export type Outgoing = {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}
export type Answer = (request: Incoming, response: never) => void

export type DataplaneListener = { port: number; close(): Promise<void> }

const PREFACE = 'PRI * HTTP/2.0'
const MAX_CONNECTIONS = 1_024
const MAX_STREAMS = 512
const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 30_000
const DRAIN_MS = 2_000

const streamLimits = { settings: { maxConcurrentStreams: MAX_STREAMS }, maxSessionMemory: 64 }
const httpLimits = { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS }

/** @throws what listening throws, and ConfigError for files of TLS that cannot be read. */
export async function listen(
  answer: Answer,
  { config, reusePort = false }: { config: Config; reusePort?: boolean | undefined },
): Promise<DataplaneListener> {
  const guarded = guard(answer, config.dataplaneToken)
  const { server, sessions } = config.dataplaneTlsCert ? secure(guarded, config) : plain(guarded)
  const sockets = new Set<Socket>()
  server.maxConnections = MAX_CONNECTIONS
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const { dataplaneBind: host, dataplanePort: port } = config
  const listening = await listenOn(server, { host, port, ...(reusePort && { reusePort }) })
  return { ...listening, close: () => close(server, sessions, sockets) }
}

type Listener = (request: Incoming, response: Outgoing) => void

function guard(answer: Answer, token: string | undefined) {
  if (token === undefined) return answer as Listener
  const expected = Buffer.from(`Bearer ${token}`)
  return (request: Incoming, response: Outgoing): void => {
    const given = Buffer.from(request.headers.authorization ?? '')
    if (given.length === expected.length && timingSafeEqual(given, expected)) {
      answer(request, response as never)
      return
    }
    response.statusCode = 401
    response.setHeader('www-authenticate', 'Bearer')
    response.end('')
    request.resume()
  }
}

type Both = { server: Server; sessions: Set<Http2Session> }

function plain(answer: Listener): Both {
  const http1 = createHttp1(httpLimits, answer)
  const http2 = createHttp2(streamLimits, answer)
  const server = createTcp((socket) => {
    socket.on('error', () => socket.destroy())
    socket.setTimeout(HEADERS_TIMEOUT_MS, () => socket.destroy())
    onFirstBytes(socket, (first) => {
      socket.setTimeout(0)
      socket.removeAllListeners('timeout')
      const isHttp2 = first.toString('latin1', 0, PREFACE.length) === PREFACE
      ;(isHttp2 ? http2 : http1).emit('connection', socket)
    })
  })
  return { server, sessions: sessionsOf(http2) }
}

/** They are put back, for whoever takes the socket over. */
function onFirstBytes(socket: Socket, found: (first: Buffer) => void): void {
  const first: Buffer | null = socket.read()
  if (first === null) socket.once('readable', () => onFirstBytes(socket, found))
  else {
    socket.unshift(first)
    found(first)
  }
}

function secure(answer: Listener, config: Config): Both {
  const ca = config.dataplaneTlsClientCa
  const server = createSecureServer(
    {
      ...{ ...streamLimits, ...httpLimits, allowHTTP1: true },
      cert: readPem('CERT', config.dataplaneTlsCert!),
      key: readPem('KEY', config.dataplaneTlsKey!),
      ...(ca !== undefined && {
        ...{ ca: readPem('CLIENT_CA', ca), requestCert: true, rejectUnauthorized: true },
      }),
    },
    answer,
  )
  return { server, sessions: sessionsOf(server) }
}

function sessionsOf(server: { on(event: 'session', heard: (one: Http2Session) => void): unknown }) {
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
      'Make it a PEM file that the user that runs Slipstream may read.',
    )
  }
}

/** What runs may end, for a moment. */
async function close(
  server: Server,
  sessions: Set<Http2Session>,
  sockets: Set<Socket>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const session of sessions) session.close()
  const late = setTimeout(() => {
    for (const socket of sockets) socket.destroy()
  }, DRAIN_MS)
  await closed
  clearTimeout(late)
}
