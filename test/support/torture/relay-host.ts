// A relay in the place of a Jetstream host: the same events, signed, by com.atproto.sync.subscribeRepos, with the same
// faults. While it lies, it alters, forges or leaves out commits.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encode } from '@atproto/lex-cbor'
import { type WebSocket, WebSocketServer } from 'ws'
import type { JetstreamDouble } from '../jetstream-double/double.ts'
import { createEventLog } from '../jetstream-double/event-log.ts'
import type { Refusal } from '../jetstream-double/handshake.ts'
import { createRandom } from '../random.ts'
import type { NetworkEvent } from '../simulated-network/network.ts'
import { type Body, frameOf, type SignedStream } from './signed-stream.ts'

export type StreamHost = Pick<
  JetstreamDouble,
  | 'url'
  | 'v1DictionaryUrl'
  | 'behaviour'
  | 'emit'
  | 'entries'
  | 'connections'
  | 'openConnections'
  | 'dictionaryFault'
  | 'rotateDictionary'
  | 'refuseHandshakes'
  | 'nextSeq'
  | 'raiseFloor'
  | 'disconnect'
  | 'sendError'
  | 'rewind'
  | 'resume'
  | 'close'
> & {
  /** What it does to the commits of these accounts; undefined: it is honest. Relays only. */
  lies?: RelayLies | undefined
}

/** `about`: now, since what it says of others is believed (docs/SOURCES.md). */
export type RelayLies = { about: (did: string) => boolean; mayOmit: boolean }

type Account = ReturnType<JetstreamDouble['connections']>[number]
type Reader = { socket: WebSocket; position: number; account: Account }

const EVERY_MS = 10

export async function createRelayHost(
  stream: SignedStream,
  { firstSeq, seed }: { firstSeq: number; seed: number },
): Promise<StreamHost> {
  const random = createRandom(seed)
  const log = createEventLog({ firstSeq, retain: 1_000_000 })
  const frames = new Map<number, Buffer[]>()
  const accounts: Account[] = []
  const readers = new Set<Reader>()
  const refusals: (Refusal | 'silent')[] = []
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true })
  const behaviour = behaviourOf(random.next)

  server.on('upgrade', (request, tcp, head) => {
    // Whoever is turned away may be gone before the answer is.
    tcp.on('error', () => {})
    const refusal = refusals.shift()
    if (refusal === 'silent') return
    if (refusal) return tcp.end(`HTTP/1.1 ${refusal.status} ${refusal.name}\r\n\r\n`)
    sockets.handleUpgrade(request, tcp, head, (socket) => open(socket, request.url ?? '/'))
  })

  function open(socket: WebSocket, url: string): void {
    const cursor = new URL(url, 'http://relay').searchParams.get('cursor')
    const wanted = cursor === null ? log.nextSeq() : Number(cursor) + 1
    const startSeq = Math.max(wanted, log.floorSeq())
    const account: Account = {
      id: accounts.length,
      url,
      wire: 'v2',
      compressed: false,
      startSeq,
      sent: [],
      sentCount: 0,
      optionsUpdates: 0,
      open: true,
    }
    accounts.push(account)
    const reader = { socket, position: startSeq, account }
    socket.on('error', () => {})
    socket.on('close', () => {
      account.open = false
      readers.delete(reader)
    })
    if (startSeq > wanted) socket.send(frameOf(OUTDATED, { seq: 0, timeUs: Date.now() * 1000 }))
    readers.add(reader)
  }

  function pump(): void {
    if (behaviour.stalled) return
    for (const reader of readers) {
      for (; reader.position < log.nextSeq(); reader.position++) say(reader, reader.position)
    }
  }

  function say({ socket, account }: Reader, seq: number): void {
    const times = random.chance(behaviour.duplicateChance) ? 2 : 1
    for (let i = 0; i < times; i++) for (const frame of frames.get(seq) ?? []) socket.send(frame)
    account.sent.push(seq)
    account.sentCount += times
  }

  const timer = setInterval(pump, EVERY_MS)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const each = (act: (reader: Reader) => void) => readers.forEach(act)
  const host: StreamHost = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    v1DictionaryUrl: 'http://127.0.0.1:1/',
    behaviour,
    dictionaryFault: undefined,
    rotateDictionary: () => 0,
    emit(emission) {
      const seq = log.append(emission)
      const { timeUs } = log.entry(seq)!.event
      const body = stream.bodyOf(emission as NetworkEvent)
      const lies = host.lies?.about(emission.did) ? host.lies : undefined
      const reported =
        lies && body.type === '#commit' ? lieAbout(body, random.next(), lies) : [body]
      frames.set(
        seq,
        reported.map((body) => frameOf(body, { seq, timeUs })),
      )
      return seq
    },
    entries: log.entries,
    connections: () => accounts,
    openConnections: () => readers.size,
    nextSeq: log.nextSeq,
    raiseFloor: log.raiseFloor,
    resume: pump,
    refuseHandshakes: (refusal, times = 1) =>
      void refusals.push(...Array.from({ length: times }, () => refusal)),
    disconnect: (code, reason) =>
      each(({ socket }) => (code === undefined ? socket.terminate() : socket.close(code, reason))),
    sendError(error, message) {
      const frame = Buffer.concat([encode({ op: -1 }), encode({ error, message })])
      each(({ socket }) => socket.send(frame, () => socket.close(1000)))
    },
    rewind: (count) =>
      each((reader) => {
        reader.position = Math.max(log.floorSeq(), reader.position - count)
      }),
    async close() {
      clearInterval(timer)
      each(({ socket }) => socket.terminate())
      server.close()
      server.closeAllConnections()
    },
  }
  return host
}

const OUTDATED: Body = { type: '#info', fields: { name: 'OutdatedCursor', message: 'too old' } }

function behaviourOf(random: () => number): StreamHost['behaviour'] {
  return {
    stalled: false,
    legacy: false,
    recordSent: true,
    duplicateChance: 0,
    cutAfterFrames: undefined,
    tamper: undefined,
    random,
  }
}

/** What is said in place of a commit. @param dice - which lie it is */
function lieAbout(body: Body, dice: number, { mayOmit }: RelayLies): Body[] {
  const altered = (change: Record<string, unknown>) => ({
    ...body,
    fields: { ...body.fields, ...change },
  })
  const [op] = body.fields['ops'] as [{ path: string }]
  if (mayOmit && dice < 0.3) return []
  // A flipped bit in the blocks; another account's or another key's act; a record that was never there.
  if (dice < 0.55) return [altered({ blocks: flipped(body.fields['blocks'] as Buffer) })]
  if (dice < 0.8) return [altered({ ops: [{ ...op, path: `${op.path.slice(0, -1)}2` }] })]
  return [altered({ ops: [{ ...op, action: 'delete', cid: null }] })]
}

function flipped(blocks: Buffer): Buffer {
  const copy = Buffer.from(blocks)
  copy[copy.length - 20]! ^= 1
  return copy
}
