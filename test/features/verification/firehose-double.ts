// A relay double: com.atproto.sync.subscribeRepos over frames that a test gives it, from the cursor that a
// reader asks for, and getRepo and other answers by `serve`.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encode } from '@atproto/lex-cbor'
import { type WebSocket, WebSocketServer } from 'ws'
import { decodeFrame } from '../../../src/features/verification/firehose/frame.ts'

export type FirehoseDouble = Awaited<ReturnType<typeof startFirehoseDouble>>

const PATH = '/xrpc/com.atproto.sync.subscribeRepos'

export async function startFirehoseDouble(port = 0) {
  const frames: { seq: number; frame: Buffer }[] = []
  const cursors: (string | null)[] = []
  const server = createServer((request, response) => {
    if (!double.serve?.(request, response)) response.writeHead(404).end()
  })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket, request) => {
    socket.on('error', () => undefined)
    const url = new URL(request.url!, 'http://double')
    const cursor = url.searchParams.get('cursor')
    cursors.push(url.pathname === PATH ? cursor : url.pathname)
    for (const notice of double.notices.splice(0)) socket.send(notice)
    const from = cursor === null ? Number.POSITIVE_INFINITY : Number(cursor)
    for (const { seq, frame } of frames) if (seq > from) socket.send(frame)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const each = (act: (socket: WebSocket) => void) => {
    for (const socket of sockets.clients) act(socket)
  }
  const double = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: undefined as
      | ((request: IncomingMessage, response: ServerResponse) => boolean)
      | undefined,
    /** Sent first on the next connection. */
    notices: [] as Buffer[],
    /** The cursor of each connection so far. */
    cursors,
    openConnections: () => sockets.clients.size,
    /** Sends a frame, under the number that it has. */
    send(frame: Buffer): void {
      const message = decodeFrame(frame)
      const seq = typeof message === 'object' && 'seq' in message ? message.seq : 0
      frames.push({ seq, frame })
      each((socket) => socket.send(frame))
    },
    disconnect: () => each((socket) => socket.terminate()),
    async close(): Promise<void> {
      each((socket) => socket.terminate())
      server.close()
      server.closeAllConnections()
    },
  }
  return double
}

/** A frame of DAG-CBOR: header and message. */
export function frameOf(type: string, message: object): Buffer {
  return Buffer.concat([encode({ op: 1, t: type }), encode(message as never)])
}

export function errorFrame(error: string, message: string): Buffer {
  return Buffer.concat([encode({ op: -1 }), encode({ error, message })])
}
