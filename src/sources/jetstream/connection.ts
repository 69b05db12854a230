// One WebSocket from handshake to end, with its time limits. Says how it ended; decides nothing.

import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import { WebSocket } from 'ws'
import type { ConsumerLimits } from './limits.ts'

const MAX_REFUSAL_BYTES = 8192
/**
 * A frame over the limit is to be dropped, not to end the connection: it would only come again.
 * Servers are asked to leave such frames out, so this much more is never filled in practice.
 */
const PAYLOAD_SLACK_BYTES = 16 * 1024 * 1024

export type Ending =
  /** The server answered the handshake with an HTTP status; `name` from its XRPC envelope. */
  | { kind: 'refused'; status: number; name: string; message: string }
  | { kind: 'unreachable'; message: string }
  | { kind: 'closed'; code: number; message: string }
  | { kind: 'idle'; message: string }
  /** We closed it. */
  | { kind: 'left' }

export type Connection = {
  ended: Promise<Ending>
  pause(): void
  resume(): void
  send(text: string): void
  leave(): void
  /** As one that is dead. */
  giveUp(message: string): void
}

type Options = {
  url: string
  limits: ConsumerLimits
  /** A longer frame ends the connection (1009) as soon as its head says so, before any of it is kept. */
  maxPayloadBytes?: number
  /** How the host's addresses are found, where not as the system does. */
  lookup?: LookupFunction
  onOpen: () => void
  onFrame: (data: Buffer, isBinary: boolean) => void
}

export function openConnection(options: Options): Connection {
  const { limits, onOpen, onFrame } = options
  const { promise: ended, resolve } = Promise.withResolvers<Ending>()
  const ws = connect(options)
  let isPaused = false
  let isOpen = false
  let cause: Ending | undefined

  const heartbeat = createHeartbeat(limits, {
    ping: () => {
      if (isOpen && !isPaused) ws.ping()
      return isOpen && !isPaused
    },
    giveUp,
  })

  function giveUp(message: string): void {
    cause ??= { kind: 'idle', message }
    ws.terminate()
  }

  function end(ending: Ending): void {
    heartbeat.stop()
    ws.removeAllListeners('message')
    resolve(cause ?? ending)
  }

  function setPaused(paused: boolean): void {
    isPaused = paused
    heartbeat.touch()
    if (!isOpen) return
    if (paused) ws.pause()
    else ws.resume()
  }

  ws.on('open', () => {
    isOpen = true
    setPaused(isPaused)
    onOpen()
  })
  ws.on('message', (data: Buffer, isBinary) => {
    heartbeat.touch()
    if (!cause) onFrame(data, isBinary)
  })
  for (const control of ['ping', 'pong'] as const) ws.on(control, heartbeat.touch)
  onRefusal(ws, end)
  ws.on('error', (error) => {
    if (!isOpen) end({ kind: 'unreachable', message: error.message })
    else cause ??= { kind: 'closed', code: closeCodeOf(error), message: error.message }
  })
  ws.on('close', (code, reason) => {
    end({ kind: 'closed', code, message: reason.toString().slice(0, 200) })
  })

  return {
    ended,
    giveUp,
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    send: (text) => {
      if (ws.readyState === WebSocket.OPEN) ws.send(text)
    },
    leave: () => {
      cause ??= { kind: 'left' }
      // No wait for the other side: whatever it still sends will come again.
      ws.terminate()
    },
  }
}

function connect({ url, limits, lookup, maxPayloadBytes }: Options): WebSocket {
  return new WebSocket(url, {
    ...(lookup && { lookup }),
    // Offered by default, and answered with a 400 by v2 hosts when compress=true is asked too.
    perMessageDeflate: false,
    skipUTF8Validation: true,
    maxPayload: maxPayloadBytes ?? limits.maxFrameBytes + PAYLOAD_SLACK_BYTES,
    handshakeTimeout: limits.handshakeTimeoutMs,
    headers: { 'User-Agent': 'Slipstream' },
  })
}

/**
 * Pings, and gives up when nothing at all comes back. Counted in pings, not in time: when our own
 * thread was busy for long, answers lie waiting and must be read first.
 */
function createHeartbeat(
  { pingIntervalMs, idleTimeoutMs }: ConsumerLimits,
  line: { ping: () => boolean; giveUp: (message: string) => void },
): { touch(): void; stop(): void } {
  const maxUnanswered = Math.max(1, Math.floor(idleTimeoutMs / pingIntervalMs))
  let unanswered = 0
  const timer = setInterval(() => {
    if (unanswered >= maxUnanswered) line.giveUp(`no answer to ${maxUnanswered} pings`)
    else if (line.ping()) unanswered++
  }, pingIntervalMs)
  return {
    touch: () => {
      unanswered = 0
    },
    stop: () => clearInterval(timer),
  }
}

function onRefusal(ws: WebSocket, end: (refusal: Ending) => void): void {
  ws.on('unexpected-response', (request, response) => {
    void readRefusal(response).then((refusal) => {
      end(refusal)
      request.destroy()
    })
  })
}

/** Tells ws's own refusals apart: a frame over the limit is 1009. */
function closeCodeOf(error: Error & { code?: string }): number {
  return error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ? 1009 : 1006
}

async function readRefusal(response: IncomingMessage): Promise<Ending> {
  const status = response.statusCode ?? 0
  const body = await readStart(response)
  try {
    const { error, message } = JSON.parse(body)
    return { kind: 'refused', status, name: String(error), message: String(message ?? '') }
  } catch {
    return { kind: 'refused', status, name: '', message: body.trim().slice(0, 300) }
  }
}

/** At most the first few kilobytes, for at most a few seconds. */
function readStart(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let body = ''
    const done = (): void => {
      clearTimeout(timer)
      resolve(body.slice(0, MAX_REFUSAL_BYTES))
    }
    const timer = setTimeout(done, 3000)
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      body += chunk
      if (body.length >= MAX_REFUSAL_BYTES) done()
    })
    response.on('end', done)
    response.on('error', done)
    response.on('close', done)
  })
}
