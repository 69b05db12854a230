// What the streams receive, in bytes: by host, wire and use of the connection as the sockets count it, and by
// collection as the frames do, before and after decompression. Counting a frame is four additions.

import type { Socket } from 'node:net'
import { collections } from '../base/atproto/collections.ts'
import type { StreamBytesFacts } from '../data/store/stream/stream-bytes.ts'
import type { StreamChoiceFacts } from '../data/store/stream/stream-choices.ts'

/**
 * What a connection is for: the live stream, what it leaves out of members and those they follow,
 * replays of accounts’ last hours, repairs of gaps.
 */
export type StreamUse = 'stream' | 'authors' | 'replay' | 'repair'
type StreamWire = 'v1' | 'v2' | 'repos'

type FrameBytes = {
  frames: number
  /** Payload of the frames, as received. */
  received: number
  /** The same uncompressed. */
  plain: number
}

export type SourceTraffic = {
  /** Origin, for example wss://jetstream.us-east.bsky.network. */
  host: string
  wire: StreamWire
  use: StreamUse
  /** All bytes received by its sockets: payload, headers, handshakes, and TLS. */
  socketBytes: number
  /** By collection; `identity`, `account` and `sync` for such events, `unusable` for the rest. */
  frames: Record<string, FrameBytes>
  /** Milliseconds from the network to its last event; undefined if it does not say. */
  lagMs?: number
}

export type Traffic = {
  of(host: string, wire: StreamWire, use: StreamUse): TrafficMeter
  /** Totals since the start. */
  read(): SourceTraffic[]
}

type TrafficMeter = {
  /** How far behind the network its last event was, in milliseconds; of relays. */
  lag(ms: number): void
  frame(kind: string, received: number, plain: number): void
  /** Counts what the socket receives, from its first byte to its last. */
  socket(socket: Socket): void
}

/** A host may send any collection; what is not indexed here is counted as `other`. */
const KINDS: ReadonlySet<string> = new Set([
  ...collections,
  ...['identity', 'account', 'sync', 'unusable', 'other'],
])

/** Totals since the start by source, and the figures of the rows. */
export type TrafficStatus = {
  sources: SourceTraffic[]
  facts: StreamBytesFacts
  choice: StreamChoiceFacts
}

type Source = { traffic: SourceTraffic; sockets: Set<() => number> }

export function createTraffic(): Traffic {
  const sources = new Map<string, Source>()

  function sourceOf(host: string, wire: StreamWire, use: StreamUse): Source {
    const key = `${use} ${wire} ${host}`
    const known = sources.get(key)
    if (known) return known
    const made = { traffic: { host, wire, use, socketBytes: 0, frames: {} }, sockets: new Set([]) }
    sources.set(key, made)
    return made
  }

  return {
    of: (host, wire, use) => meterOf(sourceOf(host, wire, use)),
    read: () => [...sources.values()].map(readSource),
  }
}

function meterOf(source: Source): TrafficMeter {
  const { frames } = source.traffic
  return {
    lag(ms) {
      source.traffic.lagMs = ms
    },
    frame(kind, received, plain) {
      const bytes = frames[kind] ?? bytesOf(frames, KINDS.has(kind) ? kind : 'other')
      bytes.frames++
      bytes.received += received
      bytes.plain += plain
    },
    socket(socket) {
      const total = totalOf(socket)
      source.sockets.add(total)
      socket.once('close', () => {
        source.sockets.delete(total)
        source.traffic.socketBytes += total()
      })
    },
  }
}

function bytesOf(frames: SourceTraffic['frames'], kind: string): FrameBytes {
  frames[kind] ??= { frames: 0, received: 0, plain: 0 }
  return frames[kind]
}

function readSource({ traffic, sockets }: Source): SourceTraffic {
  const open = [...sockets].reduce((sum, total) => sum + total(), 0)
  const frames = Object.entries(traffic.frames).map(([kind, bytes]) => [kind, { ...bytes }])
  return {
    ...traffic,
    socketBytes: traffic.socketBytes + open,
    frames: Object.fromEntries(frames),
  }
}

type Counting = { bytesRead: number }

/**
 * Bytes received so far. A TLS socket counts what it has deciphered; the handle below it counts what came
 * over the network, which for small frames is a tenth more. That handle forgets its count when it closes.
 */
function totalOf(socket: Socket): () => number {
  const below = (socket as { _handle?: { _parent?: Partial<Counting> } })._handle?._parent
  if (typeof below?.bytesRead !== 'number') return () => socket.bytesRead
  const network = below as Counting
  let total = 0
  let deciphered = 0
  return () => {
    const isOpen = network.bytesRead >= total && !socket.destroyed
    total = isOpen ? network.bytesRead : total + socket.bytesRead - deciphered
    deciphered = socket.bytesRead
    return total
  }
}
