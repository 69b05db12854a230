// gRPC calls over HTTP/2 whose bytes are built once and whose answers are only scanned for their end. Node's
// client takes longer per call than the server does, and so would measure itself. Like any client, it keeps to
// the server's number of concurrent streams: what exceeds it waits here.

import { connect } from 'node:net'
import {
  FIRST_WINDOW,
  FLAG,
  FRAME,
  frameOf,
  HEAD_BYTES,
  MAX_FRAME_BYTES,
  MAX_WINDOW,
  packHeaders,
  SETTING,
  settingFrame,
  settingIn,
  windowFrame,
} from './http2-frames.ts'

export type RawCalls = { call(path: string, body: Buffer): Promise<void> }

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
/** Granted again once consumed. */
const TAKEN_BYTES = 64 << 20

export function connectRaw(url: string): RawCalls {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  const answered = new Map<number, () => void>()
  /** Calls beyond the server's number of streams. */
  const queued: (() => void)[] = []
  let maxStreams = Number.POSITIVE_INFINITY
  let id = -1
  let taken = 0
  socket.write(PREFACE)
  socket.write(settingFrame(SETTING.window, MAX_WINDOW))
  socket.write(windowFrame(MAX_WINDOW - FIRST_WINDOW))
  socket.on('close', () => {
    throw new Error('the server has ended the connection')
  })
  socket.on('data', framesOf(onFrame, onChunk))

  function onFrame({ type, flags, stream, payload }: Frame): void {
    if (type === FRAME.reset) throw new Error(`the server has refused call ${stream}`)
    if (type === FRAME.goAway) throw new Error('the server ends the connection')
    if (type === FRAME.settings) maxStreams = settingIn(payload, SETTING.maxStreams) ?? maxStreams
    if (type === FRAME.data) taken += payload.length
    if (type !== FRAME.headers || (flags & FLAG.end) === 0) return
    answered.get(stream)?.()
    answered.delete(stream)
    queued.shift()?.()
  }

  function onChunk(): void {
    if (taken < TAKEN_BYTES) return
    socket.write(windowFrame(taken))
    taken = 0
  }

  function send(path: string, body: Buffer, resolve: () => void): void {
    id += 2
    // Calls issued together are written together.
    if (socket.writableCorked === 0) {
      socket.cork()
      process.nextTick(() => socket.uncork())
    }
    socket.write(frameOf({ type: FRAME.headers, flags: FLAG.endHeaders, id }, headOf(path)))
    for (let from = 0; from < body.length; from += MAX_FRAME_BYTES) {
      const isLast = from + MAX_FRAME_BYTES >= body.length
      const part = body.subarray(from, from + MAX_FRAME_BYTES)
      socket.write(frameOf({ type: FRAME.data, flags: isLast ? FLAG.end : 0, id }, part))
    }
    answered.set(id, resolve)
  }

  return {
    call: (path, body) =>
      new Promise((resolve) => {
        if (answered.size < maxStreams) send(path, body, resolve)
        else queued.push(() => send(path, body, resolve))
      }),
  }
}

type Frame = { type: number; flags: number; stream: number; payload: Buffer }

/** A listener for a socket's data: calls `onFrame` with each whole frame, and `onChunk` after them. */
function framesOf(onFrame: (frame: Frame) => void, onChunk: () => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    while (bytes.length - at >= HEAD_BYTES) {
      const end = at + HEAD_BYTES + bytes.readUIntBE(at, 3)
      if (end > bytes.length) break
      const [type, flags] = [bytes[at + 3]!, bytes[at + 4]!]
      const payload = bytes.subarray(at + HEAD_BYTES, end)
      onFrame({ type, flags, stream: bytes.readUInt32BE(at + 5), payload })
      at = end
    }
    rest = Buffer.from(bytes.subarray(at))
    onChunk()
  }
}

const heads = new Map<string, Buffer>()

function headOf(path: string): Buffer {
  const head = heads.get(path) ?? packHead(path)
  heads.set(path, head)
  return head
}

function packHead(path: string): Buffer {
  return packHeaders([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'bench'],
    ['content-type', 'application/grpc+proto'],
    ['te', 'trailers'],
  ])
}
