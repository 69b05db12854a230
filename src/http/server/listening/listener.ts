// The listening sockets: the limits of Node's HTTP server and our own, and a shutdown that lets running
// requests finish. Sockets that another server accepted (the dataplane's, of which some speak HTTP/2) get the same.

import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, ListenOptions, Socket, Server as TcpServer } from 'node:net'
import { createConnectionLimit } from './address-connections.ts'
import type { Entrance } from './entrance.ts'
import { type SlowReaderLimits, watchSlowReaders } from './slow-readers.ts'
import type { SocketBytes } from './socket-bytes.ts'
import { leaveRestUnparsed } from './unparsed-rest.ts'
import { boundUnreadBody } from './unread-bodies.ts'
import { refuseUnreadable } from './unreadable-requests.ts'

const DRAIN_CHECK_MS = 50
/** Unanswered requests per connection. */
const MAX_PIPELINED = 8

export type ListenerLimits = SlowReaderLimits & {
  keepAliveMs: number
  /** Time to receive all headers; `requestTimeoutMs` is for the whole request. */
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** How often Node checks these two timeouts. */
  checkEveryMs: number
  /** Maximum time without a byte in either direction. */
  silentTimeoutMs: number
  maxConnections: number
  /**
   * Per address, except our own proxies. Streams of programs do not count (address-connections.ts).
   */
  maxConnectionsEach: number
  /** After shutdown begins, how long running requests may still take. */
  drainMs: number
}

const usualLimits: ListenerLimits = {
  keepAliveMs: 90_000,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  checkEveryMs: 5_000,
  silentTimeoutMs: 120_000,
  maxConnections: 16_384,
  maxConnectionsEach: 2048,
  drainMs: 10_000,
  graceMs: 20_000,
  minBytesPerSecond: 8_192,
  maxUnsentBytes: 128 << 20,
  lookEveryMs: 1_000,
}

export type Listener = {
  http: HttpServer
  /** Connections that have sent no request yet: Node counts them neither as idle nor as active. */
  silent: Set<Socket>
  /** Ends connections that have no unanswered request; anything they still send is ignored. */
  closeAnswered(): void
  drainMs: number
}

/**
 * Starts the HTTP server. Each of the process's `threads` serving threads gets an equal share of
 * the limits.
 */
export function startHttp(
  answer: RequestListener,
  options: {
    threads: number
    isProxy: (address: string) => boolean
    entrance?: Entrance
    limits?: Partial<ListenerLimits>
    bytes?: SocketBytes | undefined
  },
): Listener {
  const limits = shared({ ...usualLimits, ...options.limits }, options.threads)
  const silent = new Set<Socket>()
  const open = new Set<Socket>()
  const pipelines = createPipelineLimit()
  const { entrance } = options
  const mayConnect = createConnectionLimit(limits.maxConnectionsEach, options.isProxy)
  const http = createHttpServer(
    {
      keepAliveTimeout: limits.keepAliveMs,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    (request, response) => {
      const { socket } = request
      silent.delete(socket)
      if (!pipelines.mayAsk(socket, response)) {
        entrance?.unreadable(socket)
        return
      }
      if (entrance && !entrance.mayEnter(request, response)) return
      boundUnreadBody(request, response)
      answer(request, response)
    },
  )
  http.on('clientError', (error, socket) => {
    entrance?.unreadable(socket as Socket)
    refuseUnreadable(error, socket as Socket, pipelines.waitingAt(socket as Socket))
  })
  http.on('connection', (socket) => {
    if (!mayConnect(socket)) return
    entrance?.connected(socket)
    leaveRestUnparsed(socket)
    silent.add(socket)
    open.add(socket)
    options.bytes?.add(socket)
    socket.once('close', () => {
      silent.delete(socket)
      open.delete(socket)
    })
  })
  http.timeout = limits.silentTimeoutMs
  http.maxConnections = limits.maxConnections
  const slowReaders = watchSlowReaders(open, limits)
  http.once('close', slowReaders.stop)
  const closeAnswered = () => {
    for (const socket of open) {
      if (!pipelines.isWaiting(socket) || entrance?.isHeld(socket)) socket.destroySoon()
    }
  }
  return { http, silent, closeAnswered, drainMs: limits.drainMs }
}

/** One thread's share of the limits of the process. */
function shared(limits: ListenerLimits, threads: number): ListenerLimits {
  const share = (amount: number) => Math.ceil(amount / threads)
  return {
    ...limits,
    maxConnections: share(limits.maxConnections),
    maxConnectionsEach: share(limits.maxConnectionsEach),
    maxUnsentBytes: share(limits.maxUnsentBytes),
  }
}

/**
 * Limits pipelining. Our clients send few requests before the first is answered, but Node would
 * start every request it has read: a few kilobytes of them are seconds of work, ahead of all other
 * clients. Of what was read of a connection that is closed for it, no more is parsed.
 */
function createPipelineLimit() {
  const pipelines = new WeakMap<Socket, Pipeline>()
  const waitingAt = (socket: Socket) => {
    const pipeline = pipelines.get(socket)
    return pipeline ? responsesOf(unanswered(pipeline)) : []
  }
  const isWaiting = (socket: Socket) => waitingAt(socket).length > 0
  const mayAsk = (socket: Socket, response: ServerResponse) => {
    if (socket.destroyed) return false
    const pipeline = pipelines.get(socket) ?? openPipeline()
    if (pipeline.count === 0) pipelines.set(socket, pipeline)
    if (unanswered(pipeline).count === MAX_PIPELINED) {
      socket.destroy()
      return false
    }
    pipeline.slots[pipeline.count++] = response
    response.on('close', forget)
    return true
  }
  // Otherwise an idle connection would keep its last request and response, long enough to be promoted to V8's
  // old generation. One function for all responses, since one for each is promoted like them.
  function forget(this: ServerResponse): void {
    const pipeline = pipelines.get(this.req.socket)
    if (pipeline) unanswered(pipeline)
  }
  return { mayAsk, isWaiting, waitingAt }
}

/** A connection's unanswered requests in order of arrival. */
type Pipeline = { slots: (ServerResponse | undefined)[]; count: number }

function openPipeline(): Pipeline {
  return { slots: new Array(MAX_PIPELINED), count: 0 }
}

function responsesOf({ slots, count }: Pipeline): ServerResponse[] {
  return slots.slice(0, count) as ServerResponse[]
}

/** Drops those that are answered. */
function unanswered(pipeline: Pipeline): Pipeline {
  const { slots, count } = pipeline
  let left = 0
  for (let i = 0; i < count; i++) {
    const response = slots[i]!
    if (!response.writableFinished && !response.destroyed) slots[left++] = response
  }
  slots.fill(undefined, left, count)
  pipeline.count = left
  return pipeline
}

/** @throws if the port is taken, or can't be shared although `options` ask for it */
export function listenOn(server: TcpServer, options: ListenOptions): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      resolve({ port: (server.address() as AddressInfo).port })
    })
  })
}

/** @returns what takes sockets that another server accepted, instead of listening */
export function takeSockets({ http }: Listener): (socket: Socket) => void {
  // Node looks at the timeouts of a server's connections only once it listens.
  http.emit('listening')
  return (socket) => http.emit('connection', socket)
}

/**
 * Accepts no more connections; resolves when running requests are answered or the time is up.
 * @param door - the server that accepts them
 */
export async function drain(
  { http, silent, closeAnswered, drainMs }: Listener,
  door: TcpServer = http,
): Promise<void> {
  const closed = new Promise((resolve) => door.close(resolve))
  for (const socket of silent) socket.destroy()
  // Node counts a connection as busy while a refused request is still being received.
  const idle = setInterval(closeAnswered, DRAIN_CHECK_MS)
  const late = setTimeout(() => http.closeAllConnections(), drainMs)
  await closed
  if (door !== http) http.close()
  clearInterval(idle)
  clearTimeout(late)
}
