// A labeler on a real port: signs labels, streams them (com.atproto.label.subscribeLabels) from any cursor,
// and answers com.atproto.label.queryLabels. It records its requests, and misbehaves on demand. Its DID
// document is in a PLC double.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Keypair } from '@atproto/crypto'
import { encode, type LexValue } from '@atproto/lex-cbor'
import { lexStringify } from '@atproto/lex-json'
import { type WebSocket, WebSocketServer } from 'ws'
import { createKeypair, type PlcDouble } from './plc-double.ts'

export type LabelInput = {
  uri: string
  val: string
  neg?: boolean
  cid?: string
  cts?: string
  exp?: string
}

type Report = Record<string, unknown> & { uri: string; val: string; neg?: boolean }

export type LabelerDouble = {
  did: string
  /**
   * Signs a label, keeps it, and sends it to all listeners. `forged`: with another account's key.
   */
  say(label: LabelInput, how?: { forged?: boolean; unheard?: boolean }): Promise<void>
  /** Sends any bytes to all listeners. */
  send(data: Uint8Array): void
  /** Puts a new key into the DID document, and signs all further labels with it. */
  rotate(): Promise<void>
  /** Cursors of the connections made so far; undefined for one without. */
  connections: (string | undefined)[]
  /**
   * Sends one frame of `length` bytes in pieces.
   * @returns how many bytes were accepted until the connection ended
   */
  sendInPieces(length: number): Promise<number>
  /** Writes unframed bytes to the newest connection. Resolves when that connection has ended. */
  sendRaw(bytes: Buffer): Promise<void>
  /** Bytes not yet accepted by the listeners. */
  waiting(): number
  /** Subjects of the queries made so far. */
  queried: string[][]
  /** Ends all connections, with a close frame if there is a code. */
  hangUp(code?: number): void
  /** Makes every request fail with this status until called with undefined. */
  failWith(status: number | undefined): void
  /** Changes all further answers to queries, which otherwise hold the labels in force. */
  answerWith(edit: (inForce: Report[], reported: readonly Report[]) => Report[]): void
  /** Ends every further answer with this cursor, which leads to the same answer again. */
  alwaysNames(cursor: string): void
  close(): Promise<void>
}

/** Shared by the labeler's HTTP side and its acts. */
type Dependencies = {
  readonly reported: Report[]
  readonly listeners: Set<WebSocket>
  readonly connections: (string | undefined)[]
  readonly queried: string[][]
  /** Socket of the newest connection. */
  newest: Socket | undefined
  failure: number | undefined
  cursor: string | undefined
  edit: (inForce: Report[], reported: readonly Report[]) => Report[]
}

/** @param plc - holds its DID document; only the used part of a directory */
export async function startLabelerDouble(
  plc: {
    create(options: { handle: string }): Promise<{ did: string }>
    edit: PlcDouble['edit']
  },
  handle: string,
): Promise<LabelerDouble> {
  const { did } = await plc.create({ handle })
  const lists = { reported: [], listeners: new Set<WebSocket>(), connections: [], queried: [] }
  const parts: Dependencies = {
    ...lists,
    newest: undefined,
    failure: undefined,
    cursor: undefined,
    edit: (labels) => labels,
  }
  let key = await createKeypair()
  const forger = await createKeypair('p256')
  const http = createServer((request, response) => answerQuery(parts, request, response))
  acceptListeners(http, parts)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const publish = () =>
    plc.edit(did, (document) => ({ ...document, ...declaration({ did, port, key }) }))
  publish()

  return {
    did,
    connections: parts.connections,
    queried: parts.queried,
    async say(label, { forged = false, unheard = false } = {}) {
      const complete = { ver: 1, src: did, cts: nextTime(), ...label }
      const signed = await sign(complete, forged ? forger : key)
      parts.reported.push(signed)
      if (unheard) return
      for (const ws of parts.listeners) ws.send(labelFrame(parts.reported.length, signed))
    },
    async rotate() {
      key = await createKeypair()
      publish()
    },
    failWith(status) {
      parts.failure = status
    },
    answerWith(edit) {
      parts.edit = edit
    },
    alwaysNames(cursor) {
      parts.cursor = cursor
    },
    ...sending(parts),
    async close() {
      for (const ws of parts.listeners) ws.terminate()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

/** Answers com.atproto.label.queryLabels with the latest label of each value, unless negated. */
function answerQuery(
  { reported, queried, failure, edit, cursor }: Dependencies,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const url = new URL(request.url!, 'http://localhost')
  const patterns = url.searchParams.getAll('uriPatterns')
  queried.push(patterns)
  const current = new Map(reported.map((label) => [`${label.uri} ${label.val}`, label]))
  const labels = [...current.values()].filter(({ uri, neg }) => patterns.includes(uri) && !neg)
  response.writeHead(failure ?? 200, { 'content-type': 'application/json' })
  response.end(
    lexStringify({ labels: edit(labels, reported) as LexValue[], ...(cursor && { cursor }) }),
  )
}

/** Serves com.atproto.label.subscribeLabels: sends the labels after the cursor, then new ones. */
function acceptListeners(http: Server, parts: Dependencies): void {
  const { reported, listeners, connections } = parts
  const sockets = new WebSocketServer({ noServer: true })
  http.on('upgrade', (request, socket: Socket, head) => {
    // Whoever is turned away may be gone before the answer is.
    socket.on('error', () => undefined)
    if (parts.failure) return socket.end(`HTTP/1.1 ${parts.failure} Away\r\n\r\n`)
    const cursor = new URL(request.url!, 'http://localhost').searchParams.get('cursor') ?? undefined
    connections.push(cursor)
    sockets.handleUpgrade(request, socket, head, (ws) => {
      for (let seq = Number(cursor ?? reported.length); seq < reported.length; seq++) {
        ws.send(labelFrame(seq + 1, reported[seq]!))
      }
      listeners.add(ws)
      ws.on('error', () => undefined)
      ws.on('close', () => listeners.delete(ws))
      parts.newest = socket
    })
  })
}

/** The labeler's key and address, as they appear in its DID document. */
export function declaration({ did, port, key }: { did: string; port: number; key: Keypair }) {
  return {
    verificationMethod: [
      {
        id: `${did}#atproto_label`,
        type: 'Multikey',
        controller: did,
        publicKeyMultibase: key.did().replace('did:key:', ''),
      },
    ],
    service: [
      {
        id: '#atproto_labeler',
        type: 'AtprotoLabeler',
        serviceEndpoint: `http://127.0.0.1:${port}`,
      },
    ],
  }
}

type Sending = Pick<LabelerDouble, 'waiting' | 'send' | 'sendInPieces' | 'sendRaw' | 'hangUp'>

/** Acts on the open connections, below the level of labels. */
function sending(parts: Dependencies): Sending {
  const { listeners } = parts
  return {
    waiting: () => [...listeners].reduce((sum, ws) => sum + ws.bufferedAmount, 0),
    send(data) {
      for (const ws of listeners) ws.send(data)
    },
    sendInPieces: (length) => writeInPieces(parts.newest!, length),
    sendRaw(bytes) {
      const socket = parts.newest!
      socket.on('error', () => undefined).write(bytes)
      return new Promise((resolve) => socket.once('close', () => resolve()))
    },
    hangUp(code) {
      for (const ws of listeners) code === undefined ? ws.terminate() : ws.close(code)
    },
  }
}

export function labelFrame(seq: number, label: object): Buffer {
  return frame({ op: 1, t: '#labels' }, { seq, labels: [label] })
}

/** Writes a binary frame by RFC 6455, unmasked like a server's. */
async function writeInPieces(socket: Socket, length: number): Promise<number> {
  const head = Buffer.alloc(10)
  head.set([0x82, 127])
  head.writeBigUInt64BE(BigInt(length), 2)
  socket.on('error', () => undefined)
  socket.write(head)
  const piece = Buffer.alloc(64 << 10)
  let taken = 0
  const ended = new Promise((resolve) => socket.once('close', resolve))
  while (taken < length && !socket.destroyed) {
    const written = new Promise<void>((resolve) => {
      socket.write(piece.subarray(0, length - taken), (error) => {
        if (!error) taken += piece.length
        resolve()
      })
    })
    await Promise.race([written, ended])
  }
  return taken
}

export function frame(header: object, body: object): Buffer {
  return Buffer.concat([encode(header as LexValue), encode(body as LexValue)])
}

async function sign(label: Report, key: Keypair): Promise<Report> {
  return { ...label, sig: await key.sign(encode(label as LexValue)) }
}

let clock = 0

/** Returns increasing times, close to now. */
function nextTime(): string {
  clock = Math.max(clock + 1, Date.now())
  return new Date(clock).toISOString()
}
