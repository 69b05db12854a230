// The sockets: what Node's server is told to endure, what it is not, and a close that lets running
// requests finish.

import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, ListenOptions, Socket, Server as TcpServer } from 'node:net'

const KEEP_ALIVE_MS = 90_000
const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 30_000
const SILENT_SOCKET_TIMEOUT_MS = 120_000
const DRAIN_TIMEOUT_MS = 10_000
const DRAIN_CHECK_MS = 50
const MAX_CONNECTIONS = 8192
/** Requests of one connection that wait for their answers. */
const MAX_PIPELINED = 8

export type Listener = {
  http: HttpServer
  /** Connections that have not asked anything yet: Node counts them neither as idle nor as active. */
  silent: Set<Socket>
}

/** `threads` of this process serve, and share its connections. */
export function startHttp(answer: RequestListener, threads: number): Listener {
  const silent = new Set<Socket>()
  const mayAsk = createPipelineLimit()
  const http = createHttpServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
    },
    (request, response) => {
      const { socket } = request
      silent.delete(socket)
      if (mayAsk(socket, response)) answer(request, response)
    },
  )
  http.on('connection', (socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  http.timeout = SILENT_SOCKET_TIMEOUT_MS
  http.maxConnections = Math.ceil(MAX_CONNECTIONS / threads)
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

/** @throws if the port is taken, or can't be shared where that was asked for. */
export function listenOn(server: TcpServer, options: ListenOptions): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.off('error', reject)
      resolve({ port: (server.address() as AddressInfo).port })
    })
  })
}

/** Takes no more connections, and resolves when what runs is answered or out of time. */
export async function drain({ http, silent }: Listener): Promise<void> {
  const closed = new Promise((resolve) => http.close(resolve))
  for (const socket of silent) socket.destroy()
  const idle = setInterval(() => http.closeIdleConnections(), DRAIN_CHECK_MS)
  const late = setTimeout(() => http.closeAllConnections(), DRAIN_TIMEOUT_MS)
  await closed
  clearInterval(idle)
  clearTimeout(late)
}
