// A Jetstream double: an in-process server on a free port that behaves like the real one as far as Slipstream
// can see (after bluesky-social/jetstream v0.2.0, internal/subscribe). It serves both wires, plain and
// compressed with its own dictionaries, filters with options_update, and cursors in seq and microseconds with
// all related answers. A frame is built and compressed once per event and wire, when the first subscriber
// needs it, so emit() is synchronous and cheap.

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createRandom } from '../random.ts'
import { type ConnectionActs, createConnections } from './connections.ts'
import { fixtureDictionary, withDictionaryId } from './dictionaries.ts'
import { type DictionaryFault, serveDictionary } from './dictionary-route.ts'
import type { Emission } from './emission.ts'
import { createEventLog, type LogEntry } from './event-log.ts'
import type { Refusal } from './handshake.ts'
import type { Behaviour, ConnectionAccount } from './subscriber.ts'

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

export type JetstreamDouble = ConnectionActs & {
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
  const { firstSeq = 1, retain = 1_000_000, legacy = false, pingIntervalMs = 30_000 } = options
  const log = createEventLog({ firstSeq, retain })
  const dictionaries = { v1: fixtureDictionary('v1'), v2: fixtureDictionary('v2') }
  const behaviour = behaviourFrom(options)
  const connections = createConnections({ log, legacy, dictionaries }, behaviour)
  let dictionaryRequests = 0

  const onRequest: RequestListener = (request, response) => {
    if (double.serve?.(request, response)) return
    dictionaryRequests++
    serveDictionary(request, response, { dictionaries, legacy, fault: double.dictionaryFault })
  }
  const { onUpgrade } = connections
  const server = await startServer(options.port ?? 0, { onRequest, onUpgrade })
  const pings = setInterval(connections.ping, pingIntervalMs)
  pings.unref()

  const double: JetstreamDouble = {
    url: `ws://127.0.0.1:${server.port}`,
    v1DictionaryUrl: `http://127.0.0.1:${server.port}/v1.zdict`,
    behaviour,
    emit: (emission) => {
      const seq = log.append(emission)
      connections.pumpSoon()
      return seq
    },
    serve: undefined,
    entries: log.entries,
    connections: () => connections.accounts,
    openConnections: connections.openCount,
    dictionaryRequests: () => dictionaryRequests,
    dictionaryFault: undefined,
    dictionaryId: () => dictionaries.v2.id,
    rotateDictionary: () => {
      dictionaries.v2 = withDictionaryId(dictionaries.v2, dictionaries.v2.id + 1)
      return dictionaries.v2.id
    },
    refuseHandshakes: connections.refuseNext,
    nextSeq: log.nextSeq,
    raiseFloor: log.raiseFloor,
    ...connections.acts,
    close: async () => {
      clearInterval(pings)
      connections.close()
      await server.close()
    },
  }
  return double
}

function behaviourFrom({ legacy = false, recordSent = true, seed = 1 }: DoubleOptions): Behaviour {
  return {
    stalled: false,
    legacy,
    recordSent,
    duplicateChance: 0,
    cutAfterFrames: undefined,
    tamper: undefined,
    random: createRandom(seed).next,
  }
}

type Upgrade = (request: IncomingMessage, tcp: Socket, head: Buffer) => void

/** `close` destroys the open sockets. */
async function startServer(
  port: number,
  { onRequest, onUpgrade }: { onRequest: RequestListener; onUpgrade: Upgrade },
): Promise<{ port: number; close: () => Promise<void> }> {
  // Go's default: a filter of 10,000 dids is a URL of 400 KB.
  const server = createServer({ maxHeaderSize: 1024 * 1024 }, onRequest)
  const sockets = new Set<Socket>()
  server.on('upgrade', onUpgrade)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
