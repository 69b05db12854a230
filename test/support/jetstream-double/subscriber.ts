// One connection of the double: pulls from the log at its own position and writes frames as long as the
// reader keeps up. Buffers nothing for a slow reader beyond the high-water mark, but reads the log more
// slowly, as the real server does.

import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { compressFrame } from './dictionaries.ts'
import { infoFrame } from './emission.ts'
import { compressedFrame, type EventLog, type LogEntry, textFrame, type Wire } from './event-log.ts'
import { InvalidOptionsError, parseOptionsUpdate, wants } from './filters.ts'
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

export type Subscriber = {
  account: ConnectionAccount
  socket: WebSocket
  pump(): void
  rewind(frames: number): void
  /** Sends any frame, compressed if the connection is. */
  sendText(text: string): void
}

export function createSubscriber(options: {
  id: number
  url: string
  ws: WebSocket
  tcp: Socket
  serving: AppContext
  log: EventLog
  behaviour: Behaviour
}): Subscriber {
  const { ws, tcp, serving, log, behaviour } = options
  const { wire, dictionary } = serving
  let { filter } = serving
  let position = serving.startSeq
  let waitsForHello = serving.requireHello
  let waitsForDrain = false
  const account: ConnectionAccount = {
    id: options.id,
    url: options.url,
    wire,
    compressed: dictionary !== undefined,
    startSeq: serving.startSeq,
    sent: [],
    sentCount: 0,
    optionsUpdates: 0,
    open: true,
  }

  function pump(): void {
    if (waitsForHello || waitsForDrain || behaviour.stalled || !account.open) return
    position = Math.max(position, log.floorSeq())
    tcp.cork()
    const end = Math.min(log.nextSeq(), position + TURN_FRAMES)
    while (position < end && account.open && ws.bufferedAmount < HIGH_WATER_BYTES) {
      deliver(log.entry(position)!)
      position++
    }
    tcp.uncork()
    if (position >= log.nextSeq() || !account.open) return
    if (ws.bufferedAmount < HIGH_WATER_BYTES) return void setImmediate(pump)
    waitsForDrain = true
    tcp.once('drain', () => {
      waitsForDrain = false
      pump()
    })
  }

  function deliver(entry: LogEntry): void {
    const asked = behaviour.ignoresDids ? { ...filter, dids: undefined } : filter
    if (!wants(asked, entry.event)) return
    const text = textFrame(entry, wire, !behaviour.legacy)
    if (text === undefined) return
    const max = filter.maxMessageSizeBytes
    if (max > 0 && Buffer.byteLength(text) > max) return
    const made = dictionary ? compressedFrame(entry, wire, !behaviour.legacy, dictionary)! : text
    const frame = behaviour.tamper ? behaviour.tamper(made, entry) : made
    if (frame === undefined) return
    write(frame, entry)
    if (behaviour.duplicateChance > 0 && behaviour.random() < behaviour.duplicateChance) {
      write(frame, entry)
    }
  }

  function write(frame: string | Buffer, entry: LogEntry): void {
    ws.send(frame, { binary: typeof frame !== 'string' })
    account.sentCount++
    if (behaviour.recordSent) account.sent.push(entry.event.seq)
    if (behaviour.cutAfterFrames === undefined || account.sentCount < behaviour.cutAfterFrames)
      return
    account.open = false
    // The frames written so far arrive; a close frame does not.
    tcp.end()
  }

  function sendText(text: string): void {
    if (dictionary) ws.send(compressFrame(dictionary, text), { binary: true })
    else ws.send(text, { binary: false })
  }

  function onMessage(data: Buffer, isBinary: boolean): void {
    if (wire === 'v2') return void ws.close(1008, 'unexpected data message')
    if (isBinary) return
    try {
      const message = JSON.parse(data.toString())
      if (message.type !== 'options_update') return
      filter = parseOptionsUpdate(message.payload ?? {})
    } catch (error) {
      const isInvalid = error instanceof InvalidOptionsError
      return void ws.close(isInvalid ? 1008 : 1007, String(error).slice(0, 100))
    }
    account.optionsUpdates++
    waitsForHello = false
    pump()
  }

  ws.on('message', onMessage)
  ws.on('error', () => {})
  ws.on('close', () => {
    account.open = false
  })
  if (serving.clampedTo !== undefined) {
    const detail = `requested timestamp cursor below retention floor; starting at seq ${serving.clampedTo}`
    sendText(infoFrame('OutdatedCursor', detail))
  }
  setImmediate(pump)

  return {
    account,
    socket: ws,
    pump,
    sendText,
    rewind: (frames) => {
      position = Math.max(log.floorSeq(), position - frames)
    },
  }
}
