// One connection of the double: pulls from the log at its own position and writes frames as long as the
// reader keeps up. Buffers nothing for a slow reader beyond the high-water mark, but reads the log more
// slowly, as the real server does.

import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { compressFrame, type Dictionary } from './dictionaries.ts'
import { infoFrame } from './emission.ts'
import { compressedFrame, type EventLog, type LogEntry, textFrame, type Wire } from './event-log.ts'
import { InvalidOptionsError, parseOptionsUpdate, type WireFilter, wants } from './filters.ts'
import type { AppContext } from './handshake.ts'

const HIGH_WATER_BYTES = 1024 * 1024
const TURN_FRAMES = 512

/** The double's record of one connection. */
export type ConnectionAccount = {
  id: number
  /** Path and query as requested. */
  url: string
  wire: Wire
  compressed: boolean
  startSeq: number
  /** Every seq written to the socket, in order, including repeats. Empty if not recorded. */
  sent: number[]
  sentCount: number
  optionsUpdates: number
  open: boolean
}

/** Settings that tests can change while connections are open. */
export type Behaviour = {
  stalled: boolean
  legacy: boolean
  recordSent: boolean
  /** Probability that a frame is written twice. */
  duplicateChance: number
  /** Cuts a connection without a close frame after this many frames. */
  cutAfterFrames: number | undefined
  /** Replaces an outgoing frame; undefined drops it. */
  tamper: ((frame: string | Buffer, entry: LogEntry) => string | Buffer | undefined) | undefined
  random: () => number
  /** Sends all accounts' events, ignoring the requested dids. */
  ignoresDids?: boolean
}

type SubscriberOptions = {
  id: number
  url: string
  ws: WebSocket
  tcp: Socket
  serving: AppContext
  log: EventLog
  behaviour: Behaviour
}

export class Subscriber {
  readonly account: ConnectionAccount
  readonly socket: WebSocket
  readonly #tcp: Socket
  readonly #log: EventLog
  readonly #behaviour: Behaviour
  readonly #dictionary: Dictionary | undefined
  #filter: WireFilter
  #position: number
  #waitsForHello: boolean
  #waitsForDrain = false

  constructor(options: SubscriberOptions) {
    const { ws, serving } = options
    this.account = accountOf(options)
    this.socket = ws
    this.#tcp = options.tcp
    this.#log = options.log
    this.#behaviour = options.behaviour
    this.#dictionary = serving.dictionary
    this.#filter = serving.filter
    this.#position = serving.startSeq
    this.#waitsForHello = serving.requireHello
    ws.on('message', (data: Buffer, isBinary) => this.#onMessage(data, isBinary))
    ws.on('error', () => {})
    ws.on('close', () => {
      this.account.open = false
    })
    if (serving.clampedTo !== undefined) this.#tellOfClamp(serving.clampedTo)
    setImmediate(() => this.pump())
  }

  pump(): void {
    if (this.#waitsForHello || this.#waitsForDrain) return
    if (this.#behaviour.stalled || !this.account.open) return
    this.#writeTurn()
    if (this.#position >= this.#log.nextSeq() || !this.account.open) return
    if (this.#hasRoom()) return void setImmediate(() => this.pump())
    this.#waitsForDrain = true
    this.#tcp.once('drain', () => {
      this.#waitsForDrain = false
      this.pump()
    })
  }

  rewind(frames: number): void {
    this.#position = Math.max(this.#log.floorSeq(), this.#position - frames)
  }

  /** Sends any frame, compressed if the connection is. */
  sendText(text: string): void {
    if (this.#dictionary) this.socket.send(compressFrame(this.#dictionary, text), { binary: true })
    else this.socket.send(text, { binary: false })
  }

  #writeTurn(): void {
    this.#position = Math.max(this.#position, this.#log.floorSeq())
    this.#tcp.cork()
    const end = Math.min(this.#log.nextSeq(), this.#position + TURN_FRAMES)
    while (this.#position < end && this.account.open && this.#hasRoom()) {
      this.#deliver(this.#log.entry(this.#position)!)
      this.#position++
    }
    this.#tcp.uncork()
  }

  #hasRoom(): boolean {
    return this.socket.bufferedAmount < HIGH_WATER_BYTES
  }

  #deliver(entry: LogEntry): void {
    const behaviour = this.#behaviour
    const made = this.#frameOf(entry)
    if (made === undefined) return
    const frame = behaviour.tamper ? behaviour.tamper(made, entry) : made
    if (frame === undefined) return
    this.#write(frame, entry)
    if (behaviour.duplicateChance > 0 && behaviour.random() < behaviour.duplicateChance) {
      this.#write(frame, entry)
    }
  }

  /** @returns undefined if the filter or the wire leaves the event out */
  #frameOf(entry: LogEntry): string | Buffer | undefined {
    const { ignoresDids, legacy } = this.#behaviour
    const { wire } = this.account
    const requested = ignoresDids ? { ...this.#filter, dids: undefined } : this.#filter
    if (!wants(requested, entry.event)) return undefined
    const text = textFrame(entry, wire, !legacy)
    if (text === undefined) return undefined
    const max = this.#filter.maxMessageSizeBytes
    if (max > 0 && Buffer.byteLength(text) > max) return undefined
    return this.#dictionary ? compressedFrame(entry, wire, !legacy, this.#dictionary)! : text
  }

  #write(frame: string | Buffer, entry: LogEntry): void {
    const { account } = this
    const { recordSent, cutAfterFrames } = this.#behaviour
    this.socket.send(frame, { binary: typeof frame !== 'string' })
    account.sentCount++
    if (recordSent) account.sent.push(entry.event.seq)
    if (cutAfterFrames === undefined || account.sentCount < cutAfterFrames) return
    account.open = false
    // The frames written so far arrive; a close frame does not.
    this.#tcp.end()
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    if (this.account.wire === 'v2') return void this.socket.close(1008, 'unexpected data message')
    if (isBinary) return
    try {
      const message = JSON.parse(data.toString())
      if (message.type !== 'options_update') return
      this.#filter = parseOptionsUpdate(message.payload ?? {})
    } catch (error) {
      const isInvalid = error instanceof InvalidOptionsError
      return void this.socket.close(isInvalid ? 1008 : 1007, String(error).slice(0, 100))
    }
    this.account.optionsUpdates++
    this.#waitsForHello = false
    this.pump()
  }

  #tellOfClamp(seq: number): void {
    const detail = `requested timestamp cursor below retention floor; starting at seq ${seq}`
    this.sendText(infoFrame('OutdatedCursor', detail))
  }
}

function accountOf({ id, url, serving }: SubscriberOptions): ConnectionAccount {
  const { wire, dictionary, startSeq } = serving
  return {
    id,
    url,
    wire,
    compressed: dictionary !== undefined,
    startSeq,
    sent: [],
    sentCount: 0,
    optionsUpdates: 0,
    open: true,
  }
}
