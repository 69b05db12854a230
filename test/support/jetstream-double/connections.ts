// The double's connections: upgrades requests or refuses them, keeps an account of each connection, and acts
// on all open ones at once.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import { errorFrame } from './emission.ts'
import { decideHandshake, type HandshakeContext, type Refusal, V2_PATH } from './handshake.ts'
import { type Behaviour, type ConnectionAccount, Subscriber } from './subscriber.ts'

/** Acts on every open connection. */
export type ConnectionActs = {
  /** Closes all connections; without a code, cuts the TCP connections. */
  disconnect(code?: number, reason?: string): void
  /** Sends a terminal xrpc.v1.json error frame, then closes the connection. v1 only closes. */
  sendError(name: string, message: string): void
  /** Sends any JSON text, compressed on compressed connections. */
  sendText(text: string): void
  /** Sends exactly these bytes, as a text frame if a string. */
  sendRaw(data: string | Buffer): void
  /** Makes every connection send its last `frames` log positions again. */
  rewind(frames: number): void
  /** Keeps open connections open, but never reads from or writes to them again. */
  deafen(): void
  /** Writes waiting frames; needed only after `behaviour.stalled` was cleared. */
  resume(): void
}

export function createConnections(context: HandshakeContext, behaviour: Behaviour) {
  const accounts: ConnectionAccount[] = []
  const subscribers = new Set<Subscriber>()
  const refusals: (Refusal | 'silent')[] = []
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  let pumpIsDue = false

  function pumpAll(): void {
    pumpIsDue = false
    for (const subscriber of subscribers) subscriber.pump()
  }

  function onUpgrade(request: IncomingMessage, tcp: Socket, head: Buffer): void {
    const path = request.url ?? '/'
    const url = new URL(path, 'http://double')
    const ordered = refusals.shift()
    if (ordered === 'silent') return
    const serving = ordered ?? decideHandshake(url, request.headers, context)
    if ('status' in serving) return void refuse(tcp, serving, url.pathname === V2_PATH)
    webSockets.handleUpgrade(request, tcp, head, (ws) => {
      const common = { id: accounts.length, url: path, ws, tcp, serving }
      const subscriber = new Subscriber({ ...common, log: context.log, behaviour })
      accounts.push(subscriber.account)
      subscribers.add(subscriber)
      ws.on('close', () => subscribers.delete(subscriber))
    })
  }

  return {
    accounts,
    openCount: () => subscribers.size,
    onUpgrade,
    /** Answers the next `times` handshakes with this instead. */
    refuseNext: (refusal: Refusal | 'silent', times = 1) => {
      for (let i = 0; i < times; i++) refusals.push(refusal)
    },
    /** Writes new events once the caller has emitted all of its own. */
    pumpSoon: () => {
      if (!pumpIsDue) setImmediate(pumpAll)
      pumpIsDue = true
    },
    ping: () => {
      for (const { socket } of subscribers) socket.ping()
    },
    acts: actsOn(subscribers, pumpAll),
    close: () => webSockets.close(),
  }
}

function actsOn(subscribers: ReadonlySet<Subscriber>, pumpAll: () => void): ConnectionActs {
  return {
    disconnect: (code, reason) => {
      for (const { socket } of subscribers) {
        if (code === undefined) socket.terminate()
        else socket.close(code, reason)
      }
    },
    sendError: (name, message) => {
      for (const subscriber of subscribers) {
        if (subscriber.account.wire === 'v2') subscriber.sendText(errorFrame(name, message))
        subscriber.socket.close(1000)
      }
    },
    sendText: (text) => {
      for (const subscriber of subscribers) subscriber.sendText(text)
    },
    sendRaw: (data) => {
      for (const { socket } of subscribers) socket.send(data, { binary: typeof data !== 'string' })
    },
    rewind: (frames) => {
      for (const subscriber of subscribers) subscriber.rewind(frames)
      pumpAll()
    },
    deafen: () => {
      for (const { socket, account } of subscribers) {
        account.open = false
        socket.pause()
      }
    },
    resume: pumpAll,
  }
}

function refuse(tcp: Socket, { status, name, message }: Refusal, isV2: boolean): void {
  const body = isV2 ? JSON.stringify({ error: name, message }) : `${message}\n`
  const type = isV2 ? 'application/json' : 'text/plain; charset=utf-8'
  const head = [
    `HTTP/1.1 ${status} Refused`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  tcp.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
