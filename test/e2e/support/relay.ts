// A minimal relay in front of one PDS, for the Jetstream server.
//
// Jetstream calls `com.atproto.sync.listHosts` on its upstream (which a PDS doesn't serve) and accepts plain
// http only from the upstream itself. So this answers that one method with its own address, and forwards
// everything else, including the firehose's socket, to the PDS.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { passThrough } from './pass-through.ts'

export type Relay = { url: string; stop: () => Promise<void> }

export async function startRelay(pdsUrl: string): Promise<Relay> {
  const server = createServer((req, res) => {
    if (req.url?.startsWith('/xrpc/com.atproto.sync.listHosts')) answerListHosts(req, res)
    else passThrough(pdsUrl, req, res)
  })
  const sockets = new Set<Duplex>()
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    passSocket(pdsUrl, req, socket, head)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, stop }
}

function answerListHosts(req: IncomingMessage, res: ServerResponse): void {
  const host = { hostname: req.headers.host, status: 'active', accountCount: 1, seq: 1 }
  res.setHeader('content-type', 'application/json')
  res.end(JSON.stringify({ hosts: [host] }))
}

/** Repeats the upgrade request to the PDS, then connects the two sockets. */
function passSocket(pdsUrl: string, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { hostname, port } = new URL(pdsUrl)
  const upstream = connect({ host: hostname, port: Number(port) }, () => {
    const lines = [`${req.method} ${req.url} HTTP/1.1`]
    for (let i = 0; i < req.rawHeaders.length; i += 2) {
      lines.push(`${req.rawHeaders[i]}: ${req.rawHeaders[i + 1]}`)
    }
    upstream.write(`${lines.join('\r\n')}\r\n\r\n`)
    upstream.write(head)
    upstream.pipe(socket)
    socket.pipe(upstream)
  })
  closeTogether(socket, upstream)
  closeTogether(upstream, socket)
}

function closeTogether(duplex: Duplex, other: Duplex): void {
  duplex.on('error', () => other.destroy())
  duplex.on('close', () => other.destroy())
}
