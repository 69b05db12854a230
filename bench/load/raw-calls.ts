// gRPC calls over HTTP/2 whose bytes are built once and whose answers are only scanned for their end. Node's
// client takes longer per call than the server does, and so would measure itself.

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
  windowFrame,
} from './http2-frames.ts'

export type RawCalls = { call(path: string, body: Buffer): Promise<void> }

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
/** Granted again once consumed. */
const TAKEN_BYTES = 64 << 20

export function connectRaw(url: string): RawCalls {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  const waiting = new Map<number, () => void>()
  const heads = new Map<string, Buffer>()
  let id = -1
  let taken = 0
  let rest = Buffer.alloc(0)
  socket.write(PREFACE)
  socket.write(settingFrame(SETTING.window, MAX_WINDOW))
  socket.write(windowFrame(MAX_WINDOW - FIRST_WINDOW))
  socket.on('close', () => {
    throw new Error('the server has ended the connection')
  })
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    while (bytes.length - at >= HEAD_BYTES) {
      const end = at + HEAD_BYTES + bytes.readUIntBE(at, 3)
      if (end > bytes.length) break
      const isEnd = bytes[at + 3] === FRAME.headers && (bytes[at + 4]! & FLAG.end) !== 0
      if (isEnd) ended(bytes.readUInt32BE(at + 5))
      if (bytes[at + 3] === FRAME.data) taken += end - at - HEAD_BYTES
      at = end
    }
    rest = Buffer.from(bytes.subarray(at))
    if (taken < TAKEN_BYTES) return
    socket.write(windowFrame(taken))
    taken = 0
  })
  function ended(stream: number): void {
    waiting.get(stream)?.()
    waiting.delete(stream)
  }
  return {
    call(path, body) {
      id += 2
      const head = heads.get(path) ?? headOf(path)
      heads.set(path, head)
      // Calls issued together are written together.
      if (socket.writableCorked === 0) {
        socket.cork()
        process.nextTick(() => socket.uncork())
      }
      socket.write(frameOf({ type: FRAME.headers, flags: FLAG.endHeaders, id }, head))
      for (let from = 0; from < body.length; from += MAX_FRAME_BYTES) {
        const isLast = from + MAX_FRAME_BYTES >= body.length
        const part = body.subarray(from, from + MAX_FRAME_BYTES)
        socket.write(frameOf({ type: FRAME.data, flags: isLast ? FLAG.end : 0, id }, part))
      }
      return new Promise((resolve) => waiting.set(id, resolve))
    },
  }
}

function headOf(path: string): Buffer {
  return packHeaders([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'bench'],
    ['content-type', 'application/grpc+proto'],
    ['te', 'trailers'],
  ])
}
