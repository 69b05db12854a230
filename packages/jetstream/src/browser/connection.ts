// One WebSocket in a browser, in place of connection/connection.ts. A browser neither pings nor pauses, and says nothing
// about a refused handshake: frames wait here while we are slow, up to a limit, and the reason of a refusal is asked
// for by a plain request to the same address.

import type { Connection, ConnectionOptions, Ending } from '../connection/connection.ts'

/** Beyond this, the connection ends; the next one begins where the position is. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024
const MAX_REFUSAL_CHARS = 300
/** A host may answer a plain request by that it wants an upgrade, which is no refusal. */
const UPGRADE_REQUIRED = 426

export function openConnection(options: ConnectionOptions): Connection {
  const { url, limits, onOpen, onFrame } = options
  const { promise: ended, resolve } = Promise.withResolvers<Ending>()
  const socket = new WebSocket(url)
  socket.binaryType = 'arraybuffer'
  // Declared as Node's bytes; the consumer, which is all that a browser has, takes any.
  const waiting = createWaiting(onFrame as OnFrame)
  let isOpen = false
  let isOver = false

  function end(ending: Ending | Promise<Ending>): void {
    if (isOver) return
    isOver = true
    clearTimeout(handshake)
    socket.close()
    resolve(ending)
  }

  const timeout: Ending = { kind: 'unreachable', message: 'the handshake took too long' }
  const handshake = setTimeout(() => end(timeout), limits.handshakeTimeoutMs)

  socket.onopen = () => {
    isOpen = true
    clearTimeout(handshake)
    if (!isOver) onOpen()
  }
  socket.onmessage = ({ data }: { data: string | ArrayBuffer }) => {
    if (isOver) return
    const isBinary = typeof data !== 'string'
    waiting.add(isBinary ? new Uint8Array(data) : new TextEncoder().encode(data), isBinary)
    if (waiting.bytes > MAX_WAITING_BYTES)
      end({ kind: 'broken', message: `more than ${MAX_WAITING_BYTES} bytes wait to be applied` })
  }
  socket.onclose = ({ code, reason }) =>
    end(isOpen ? { kind: 'closed', code, message: reason } : whyRefused(url, limits))

  return {
    ended,
    giveUp: (message) => end({ kind: 'idle', message }),
    rest() {},
    pause: waiting.pause,
    resume: waiting.resume,
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    leave: () => end({ kind: 'left' }),
  }
}

type Frame = { data: Uint8Array; isBinary: boolean }
type OnFrame = (data: Uint8Array, isBinary: boolean) => void

/** Frames that arrive while nothing may be read. */
function createWaiting(onFrame: OnFrame) {
  const frames: Frame[] = []
  let bytes = 0
  let isPaused = false

  return {
    get bytes() {
      return bytes
    },
    add(data: Uint8Array, isBinary: boolean): void {
      if (!isPaused && frames.length === 0) return onFrame(data, isBinary)
      frames.push({ data, isBinary })
      bytes += data.length
    },
    pause(): void {
      isPaused = true
    },
    /** Reading a frame may pause again. */
    resume(): void {
      isPaused = false
      while (!isPaused && frames.length > 0) {
        const { data, isBinary } = frames.shift()!
        bytes -= data.length
        onFrame(data, isBinary)
      }
    },
  }
}

/** Tells a refusal from a host that is away, if it lets pages of other origins read its answers. */
async function whyRefused(
  url: string,
  { handshakeTimeoutMs }: ConnectionOptions['limits'],
): Promise<Ending> {
  try {
    const signal = AbortSignal.timeout(handshakeTimeoutMs)
    const response = await fetch(url.replace(/^ws/, 'http'), { signal })
    const { status } = response
    if (response.ok || status === UPGRADE_REQUIRED) return unreachable('the connection failed')
    const body = await response.text()
    const { error, message } = envelopeOf(body)
    // Without a name, a server may only miss the upgrade.
    if (status === 400 && error === undefined) return unreachable('the connection failed')
    const text = message ?? body.trim()
    return { kind: 'refused', status, name: error ?? '', message: text.slice(0, MAX_REFUSAL_CHARS) }
  } catch (error) {
    return unreachable(error instanceof Error ? error.message : String(error))
  }
}

function unreachable(message: string): Ending {
  return { kind: 'unreachable', message }
}

/** The XRPC envelope, if it is one. */
function envelopeOf(body: string): { error?: string; message?: string } {
  try {
    const { error, message } = JSON.parse(body) as Record<string, unknown>
    return {
      ...(typeof error === 'string' && { error }),
      ...(typeof message === 'string' && { message }),
    }
  } catch {
    return {}
  }
}
