// A Jetstream double: an in-process server on a free port that behaves like the real one as far as Slipstream
// can see (after bluesky-social/jetstream v0.2.0, internal/subscribe). It serves both wires, plain and
// compressed with its own dictionaries, filters with options_update, and cursors in seq and microseconds with
// all related answers. A frame is built and compressed once per event and wire, when the first subscriber
// needs it, so emit() is synchronous and cheap.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import { createRandom } from '../random.ts'
import { type Dictionary, fixtureDictionary, withDictionaryId } from './dictionaries.ts'
import { type Emission, errorFrame } from './emission.ts'
import { createEventLog, type LogEntry } from './event-log.ts'
import { decideHandshake, type Refusal, V2_PATH } from './handshake.ts'
import {
  type Behaviour,
  type ConnectionAccount,
  createSubscriber,
  type Subscriber,
} from './subscriber.ts'

export type DoubleOptions = {
  port?: number
  legacy?: boolean
  /** Seq of the first event; give two doubles different ones to catch seqs sent to the wrong host. */
  firstSeq?: number
  retain?: number
  recordSent?: boolean
  seed?: number
  /** The real server pings every 30 s. */
  pingIntervalMs?: number
}

/** `damaged`: looks intact, but its tables are not. `stale`: the one before the last rotation. */
type DictionaryFault = 'error' | 'garbage' | 'damaged' | 'endless' | 'silent' | 'missing' | 'stale'

export type JetstreamDouble = {
  url: string
  v1DictionaryUrl: string
  behaviour: Behaviour
  /** @returns the event's seq */
  emit(emission: Emission): number
  entries(): readonly LogEntry[]
  connections(): readonly ConnectionAccount[]
  openConnections(): number
  /** Answers other requests, such as those to the archive; returns true if it did. */
  serve: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  /** Number of dictionary requests so far. */
  dictionaryRequests(): number
  dictionaryFault: DictionaryFault | undefined
  /** The dictionary id of current v2 frames. */
  dictionaryId(): number
  /**
   * Makes v2 frames of later connections use a dictionary with another id; the old id becomes
   * unknown.
   */
  rotateDictionary(): number
  /** Answers the next `times` handshakes with this instead; `silent` never answers. */
  refuseHandshakes(refusal: Refusal | 'silent', times?: number): void
  /** The seq of the next event. */
  nextSeq(): number
  /** Moves events below `seq` out of the window from now on. */
  raiseFloor(seq: number): void
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
  close(): Promise<void>
}

/**
 * `url` is for SLIPSTREAM_JETSTREAM_HOSTS, `v1DictionaryUrl` for
 * SLIPSTREAM_JETSTREAM_V1_DICTIONARY. `entries()` has every event with seq, timeUs, rev and cid
 * filled in: the oracle. `connections()` has every connection ever made: its query, and each seq
 * sent on it. With `legacy: true` it is an old, v1-only host: no v2, no `cursor` in frames, every
 * cursor read as microseconds. The log keeps `retain` events (default 1,000,000); for endless
 * simulations lower it and set `recordSent: false`.
 */
export async function createJetstreamDouble(options: DoubleOptions = {}): Promise<JetstreamDouble> {
  const { firstSeq = 1, retain = 1_000_000, seed = 1, pingIntervalMs = 30_000 } = options
  const log = createEventLog({ firstSeq, retain })
  const legacy = options.legacy ?? false
  const dictionaries = { v1: fixtureDictionary('v1'), v2: fixtureDictionary('v2') }
  const behaviour: Behaviour = {
    stalled: false,
    legacy,
    recordSent: options.recordSent ?? true,
    duplicateChance: 0,
    cutAfterFrames: undefined,
    tamper: undefined,
    random: createRandom(seed).next,
  }
  const accounts: ConnectionAccount[] = []
  const subscribers = new Set<Subscriber>()
  const refusals: (Refusal | 'silent')[] = []
  const sockets = new Set<Socket>()
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  let dictionaryRequests = 0
  let pumpIsDue = false

  function pumpAll(): void {
    pumpIsDue = false
    for (const subscriber of subscribers) subscriber.pump()
  }

  function emit(emission: Emission): number {
    const seq = log.append(emission)
    if (!pumpIsDue) setImmediate(pumpAll)
    pumpIsDue = true
    return seq
  }

  function onUpgrade(request: IncomingMessage, tcp: Socket, head: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://double')
    const ordered = refusals.shift()
    if (ordered === 'silent') return
    const decision = ordered ?? decideHandshake(url, request.headers, { log, legacy, dictionaries })
    if ('status' in decision) return void refuse(tcp, decision, url.pathname === V2_PATH)
    webSockets.handleUpgrade(request, tcp, head, (ws) => {
      const id = accounts.length
      const path = request.url ?? '/'
      const common = { id, url: path, ws, tcp, log, behaviour }
      const subscriber = createSubscriber({ ...common, serving: decision })
      accounts.push(subscriber.account)
      subscribers.add(subscriber)
      ws.on('close', () => subscribers.delete(subscriber))
    })
  }

  // Go's default: a filter of 10,000 dids is a URL of 400 KB.
  const server = createServer({ maxHeaderSize: 1024 * 1024 }, (request, response) => {
    if (double.serve?.(request, response)) return
    dictionaryRequests++
    serveDictionary(request, response, { dictionaries, legacy, fault: double.dictionaryFault })
  })
  server.on('upgrade', onUpgrade)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await listen(server, options.port ?? 0)
  const { port } = server.address() as AddressInfo
  const pings = setInterval(() => {
    for (const { socket } of subscribers) socket.ping()
  }, pingIntervalMs)
  pings.unref()

  const double: JetstreamDouble = {
    url: `ws://127.0.0.1:${port}`,
    v1DictionaryUrl: `http://127.0.0.1:${port}/v1.zdict`,
    behaviour,
    emit,
    serve: undefined,
    entries: log.entries,
    connections: () => accounts,
    openConnections: () => subscribers.size,
    dictionaryRequests: () => dictionaryRequests,
    dictionaryFault: undefined,
    dictionaryId: () => dictionaries.v2.id,
    rotateDictionary: () => {
      dictionaries.v2 = withDictionaryId(dictionaries.v2, dictionaries.v2.id + 1)
      return dictionaries.v2.id
    },
    refuseHandshakes: (refusal, times = 1) => {
      for (let i = 0; i < times; i++) refusals.push(refusal)
    },
    nextSeq: log.nextSeq,
    raiseFloor: log.raiseFloor,
    disconnect: (code, reason) => {
      for (const { socket } of subscribers) {
        if (code === undefined) socket.terminate()
        else socket.close(code, reason)
      }
    },
    sendError: (name, message) => {
      for (const { account, socket, sendText } of subscribers) {
        if (account.wire === 'v2') sendText(errorFrame(name, message))
        socket.close(1000)
      }
    },
    sendText: (text) => {
      for (const { sendText } of subscribers) sendText(text)
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
    close: async () => {
      clearInterval(pings)
      for (const socket of sockets) socket.destroy()
      webSockets.close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return double
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

function serveDictionary(
  request: IncomingMessage,
  response: ServerResponse,
  context: {
    dictionaries: { v1: Dictionary; v2: Dictionary }
    legacy: boolean
    fault: DictionaryFault | undefined
  },
): void {
  const { dictionaries, legacy, fault } = context
  const url = new URL(request.url ?? '/', 'http://double')
  const isV2 = url.pathname === '/xrpc/network.bsky.jetstream.getZstdDictionary'
  if (fault && fault !== 'stale') return void serveFault(response, fault)
  if (url.pathname === '/v1.zdict') return void response.end(dictionaries.v1.bytes)
  if (!isV2 || legacy) return void response.writeHead(404).end('not found\n')
  const { v2 } = dictionaries
  const { id, bytes } = fault === 'stale' ? withDictionaryId(v2, v2.id - 1) : v2
  const asked = url.searchParams.get('id')
  if (asked !== null && asked !== String(id)) {
    const message = `no dictionary with id ${asked}; current dictionary id is ${id}`
    const headers = { 'Content-Type': 'application/json' }
    return void response
      .writeHead(404, headers)
      .end(JSON.stringify({ error: 'DictionaryNotFound', message }))
  }
  const headers = { 'Content-Type': 'application/octet-stream', 'X-Zstd-Dictionary-Id': String(id) }
  response.writeHead(200, headers).end(bytes)
}

function serveFault(response: ServerResponse, fault: Exclude<DictionaryFault, 'stale'>): void {
  if (fault === 'error') return void response.writeHead(500).end('no')
  if (fault === 'missing') return void response.writeHead(404).end('no')
  if (fault === 'garbage') return void response.end(Buffer.alloc(1000, 'not a dictionary '))
  if (fault === 'silent') return
  if (fault === 'damaged') {
    const { bytes } = withDictionaryId(fixtureDictionary('v2'), 5)
    return void response.end(bytes.fill(0xff, 10, 60))
  }
  const chunk = Buffer.alloc(65_536)
  const write = (): void => {
    if (response.destroyed) return
    response.write(chunk, () => setImmediate(write))
  }
  write()
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
}
