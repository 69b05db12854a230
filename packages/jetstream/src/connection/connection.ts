// One WebSocket from handshake to end, with its timeouts. Reports how it ended; decides nothing.

import type { IncomingMessage } from 'node:http'
import type { LookupFunction, Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { ConsumerLimits } from '../limits.ts'
import { createFlow, READ_NOTHING_AHEAD } from './flow.ts'

const MAX_REFUSAL_BYTES = 8192
/**
 * A frame over the limit must be dropped, not end the connection: it would only be sent again.
 * Servers are asked to leave out such frames, so this slack is never filled in practice.
 */
const PAYLOAD_SLACK_BYTES = 16 * 1024 * 1024
/**
 * Pings and pongs in a second. Pacing does not limit them, and an honest peer sends one in half a
 * minute.
 */
const MAX_CONTROLS = 100
/** From RFC 6455: closed without a reason. */
const ABNORMAL = 1006

export type Ending =
  /** The server answered the handshake with an HTTP status; `name` from its XRPC envelope. */
  | { kind: 'refused'; status: number; name: string; message: string }
  | { kind: 'unreachable'; message: string }
  | { kind: 'closed'; code: number; message: string }
  | { kind: 'idle'; message: string }
  /** The peer exceeded a limit. */
  | { kind: 'broken'; message: string }
  /** We closed it. */
  | { kind: 'left' }

export type Connection = {
  ended: Promise<Ending>
  /** Reads nothing for so many milliseconds: what comes meanwhile waits in the system's buffer. */
  rest(ms: number): void
  pause(): void
  resume(): void
  send(text: string): void
  leave(): void
  /** Ends the connection as dead. */
  giveUp(message: string): void
}

export type ConnectionOptions = {
  url: string
  limits: ConsumerLimits
  /** A longer frame ends the connection on its header, before any of it is buffered. */
  maxPayloadBytes?: number
  /** Resolves the host's addresses, if not the system's way. */
  lookup?: LookupFunction
  /** Once it is connected. */
  onSocket?: ((socket: Socket) => void) | undefined
  onOpen: () => void
  onFrame: (data: Buffer, isBinary: boolean) => void
}

export function openConnection(options: ConnectionOptions): Connection {
  const { limits, onOpen, onFrame } = options
  const { promise: ended, resolve } = Promise.withResolvers<Ending>()
  const ws = connect(options)
  const flow = createFlow(ws)
  let isOpen = false
  let cause: Ending | undefined

  const giveUp = (message: string) => stop({ kind: 'idle', message })
  const heartbeat = createHeartbeat(limits, {
    ping: () => {
      if (flow.isLive()) ws.ping()
      return flow.isLive()
    },
    giveUp,
  })

  /** Does not wait for the peer: data still in flight will be sent again. */
  function stop(ending: Ending): void {
    cause ??= ending
    ws.terminate()
  }

  function end(ending: Ending): void {
    heartbeat.stop()
    flow.stop()
    ws.removeAllListeners('message')
    resolve(cause ?? ending)
  }

  function setPaused(isPaused: boolean): void {
    heartbeat.touch()
    flow.setPaused(isPaused)
  }

  ws.on('upgrade', ({ socket }) => options.onSocket?.(socket))
  ws.on('open', () => {
    isOpen = true
    heartbeat.touch()
    flow.open()
    onOpen()
  })
  ws.on('message', (data: Buffer, isBinary) => {
    heartbeat.touch()
    if (!cause) onFrame(data, isBinary)
  })
  onControls(ws, { touch: heartbeat.touch, onTooMany: stop })
  onRefusal(ws, { end, onSocket: options.onSocket })
  ws.on('error', (error) => {
    if (!isOpen) end({ kind: 'unreachable', message: error.message })
    // Otherwise ws would read and discard data until the peer closes.
    stop(endingBy(error, maxPayload(options)))
  })
  ws.on('close', (code, reason) => {
    end({ kind: 'closed', code, message: reason.toString().slice(0, 200) })
  })

  return {
    ended,
    giveUp,
    rest: flow.rest,
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    send: (text) => {
      if (ws.readyState === WebSocket.OPEN) ws.send(text)
    },
    leave: () => stop({ kind: 'left' }),
  }
}

function connect(options: ConnectionOptions): WebSocket {
  const { url, limits, lookup } = options
  return new WebSocket(url, {
    ...(lookup && { lookup }),
    // Offered by default, but v2 hosts answer it with a 400 if compress=true is requested too.
    perMessageDeflate: false,
    ...READ_NOTHING_AHEAD,
    skipUTF8Validation: true,
    maxPayload: maxPayload(options),
    handshakeTimeout: limits.handshakeTimeoutMs,
    headers: { 'User-Agent': 'Slipstream' },
  })
}

/**
 * Pings, and gives up when nothing at all comes back. Counted in pings, not in time: after our own
 * thread was busy for long, waiting answers must be read first.
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

function onControls(
  ws: WebSocket,
  { touch, onTooMany }: { touch: () => void; onTooMany: (ending: Ending) => void },
): void {
  let since = performance.now()
  let seen = 0
  const hear = () => {
    touch()
    const now = performance.now()
    if (now - since > 1000) {
      since = now
      seen = 0
    }
    const message = `more than ${MAX_CONTROLS} pings or pongs in a second`
    if (++seen > MAX_CONTROLS) onTooMany({ kind: 'broken', message })
  }
  ws.on('ping', hear)
  ws.on('pong', hear)
}

function onRefusal(
  ws: WebSocket,
  { end, onSocket }: { end: (refusal: Ending) => void } & Pick<ConnectionOptions, 'onSocket'>,
): void {
  ws.on('unexpected-response', (request, response) => {
    onSocket?.(response.socket)
    void readRefusal(response).then((refusal) => {
      end(refusal)
      request.destroy()
    })
  })
}

/** Errors for which ws itself ends a connection. */
function endingBy(error: Error & { code?: string }, maxBytes: number): Ending {
  switch (error.code) {
    case 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH':
      return { kind: 'broken', message: `a frame is longer than ${maxBytes} bytes` }
    case 'WS_ERR_TOO_MANY_BUFFERED_PARTS':
      return { kind: 'broken', message: 'a frame comes in too many pieces' }
  }
  return { kind: 'closed', code: ABNORMAL, message: error.message }
}

function maxPayload({ limits, maxPayloadBytes }: ConnectionOptions): number {
  return maxPayloadBytes ?? limits.maxFrameBytes + PAYLOAD_SLACK_BYTES
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

/** Reads at most the first few kilobytes, for at most a few seconds. */
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
