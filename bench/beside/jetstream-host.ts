// A process that is a Jetstream of the first kind: it sends each client the same events as fast as they are read,
// compressed if asked. It prints its port.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import {
  compressFrame,
  fixtureDictionary,
} from '../../test/support/jetstream-double/dictionaries.ts'
import { frameV1, type LoggedEmission } from '../../test/support/jetstream-double/emission.ts'
import { createSyntheticEvents } from '../../test/support/jetstream-double/synthetic-events.ts'

const AHEAD_BYTES = 1 << 20

const count = Number(process.argv[2])
const texts = framesOf(count)
const compressed = texts.map((text) => compressFrame(fixtureDictionary('v1'), text))
const http = createServer((_, response) => response.writeHead(404).end())
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false })
sockets.on('connection', (socket, { url = '' }) => {
  const isCompressed = new URL(url, 'http://host').searchParams.get('compress') === 'true'
  void send(socket, isCompressed ? compressed : texts)
})
http.listen(0, '127.0.0.1', () => console.log((http.address() as AddressInfo).port))

/** All collections, since one of the clients asks for names that the lexicons have. */
function framesOf(count: number): string[] {
  const events = createSyntheticEvents(7, Date.now() * 1000)
  const frames: string[] = []
  for (let seq = 1; frames.length < count; seq++) {
    const frame = frameV1({ ...events.next(), seq } as LoggedEmission, false)
    if (frame !== undefined) frames.push(frame)
  }
  return frames
}

async function send(socket: WebSocket, frames: readonly (string | Buffer)[]): Promise<void> {
  // A client may first say what it wants.
  await new Promise((resolve) => setTimeout(resolve, 200))
  for (const frame of frames) {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount < AHEAD_BYTES) socket.send(frame)
    else await new Promise((resolve) => socket.send(frame, resolve))
  }
}
