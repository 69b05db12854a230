// A labeler that tries to take down its subscribers: frames far larger than any client should read, or
// endless small ones. The amount it sends is bounded per connection and in total.

import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { frame, labelFrame } from '../labeler-double.ts'
import { sleep } from './sleep.ts'

export type Attack = 'huge' | 'flood' | 'odd'

export type HostileLabeler = {
  /** Sends this to every new connection. */
  attack(kind: Attack): void
  /** Hangs up, and refuses new connections. */
  stop(): void
  /** Handshakes so far, including refused ones. */
  connections(): number
  sentBytes(): number
}

const HUGE_BYTES = 16_800_000
const MAX_HUGE = 20
const ARRAY_OF_4_BYTES = 0x9a
const EMPTY_MAP = 0xa0
const FLOOD = 20_000
const FLOOD_AT_ONCE = 100
const MAX_BUFFERED = 1 << 20
const PAUSE_MS = 5
const MAX_ODD = 30
/** Wire format: a pong, and one byte more of a fragmented frame. */
const PONG = Buffer.from([0x8a, 0])
const PIECE = Buffer.from([0x00, 1, 0x61])
const ODD_TIMES = 100_000

export function createHostileLabeler(server: Server): HostileLabeler {
  const sockets = new WebSocketServer({ noServer: true })
  let kind: Attack | undefined
  let connections = 0
  let sentBytes = 0
  let left = { huge: 0, flood: 0, odd: 0 }

  server.on('upgrade', (request, socket, head) => {
    connections++
    socket.on('error', () => {})
    if (!kind) return socket.end('HTTP/1.1 503 Away\r\n\r\n')
    const { pathname } = new URL(request.url!, 'http://localhost')
    if (!pathname.endsWith('subscribeLabels')) return socket.end('HTTP/1.1 404 Nothing\r\n\r\n')
    return sockets.handleUpgrade(request, socket, head, (ws) => {
      ws.on('error', () => {})
      if (kind === 'odd') sendOdd(ws, socket)
      else pour(ws).catch(() => ws.terminate())
    })
  })

  async function pour(ws: WebSocket): Promise<void> {
    const huge = kind === 'huge' ? hugeFrame() : undefined
    const isOver = () => ws.readyState !== ws.OPEN || !kind || left[kind] <= 0
    for (let seq = 1; !isOver(); seq++) {
      const next = huge ?? smallFrame(seq)
      left[kind!]--
      sentBytes += next.length
      ws.send(next)
      if (huge || seq % FLOOD_AT_ONCE === 0) await nextTurn()
      while (ws.bufferedAmount > MAX_BUFFERED && !isOver()) await sleep(PAUSE_MS)
    }
  }

  /**
   * A different oddity on each connection, starting with an error frame without a text, after which
   * the client reconnects.
   */
  function sendOdd(ws: WebSocket, socket: Duplex): void {
    const goodbye = frame({ op: -1 }, { error: { toString: 1 } })
    const begun = Buffer.from([0x02, 1, 0x61])
    const pieces = Buffer.concat([begun, ...Array<Buffer>(ODD_TIMES).fill(PIECE)])
    const pongs = Buffer.concat(Array<Buffer>(ODD_TIMES).fill(PONG))
    const odd = [goodbye, pieces, pongs][(MAX_ODD - left.odd) % 3]!
    if (left.odd-- <= 0) return
    sentBytes += odd.length
    if (odd === goodbye) ws.send(odd)
    else socket.write(odd)
  }

  return {
    attack: (to) => {
      kind = to
      left = { huge: MAX_HUGE, flood: FLOOD, odd: MAX_ODD }
    },
    stop: () => {
      kind = undefined
      for (const ws of sockets.clients) ws.terminate()
    },
    connections: () => connections,
    sentBytes: () => sentBytes,
  }
}

/** Sixteen million empty objects: each byte is an object for the decoder. */
function hugeFrame(): Buffer {
  const empty = frame({ op: 1, t: '#labels' }, { seq: 1, labels: [] })
  const list = Buffer.alloc(5, ARRAY_OF_4_BYTES)
  list.writeUInt32BE(HUGE_BYTES, 1)
  return Buffer.concat([empty.subarray(0, -1), list, Buffer.alloc(HUGE_BYTES, EMPTY_MAP)])
}

function smallFrame(seq: number): Buffer {
  return labelFrame(seq, label(`flood-${seq}`))
}

/** A label without a valid signature. */
function label(val: string): object {
  const uri = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
  return { ver: 1, src: uri, uri, val, cts: '2026-11-01T00:00:00.000Z', sig: new Uint8Array(64) }
}
