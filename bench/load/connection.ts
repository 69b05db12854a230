// One keep-alive connection of the load generator: sends ready bytes, one request at a time, and reports when
// the answer is complete. Reads into one buffer, so that a busy client makes no garbage.

import { connect, type Socket } from 'node:net'
import { createResponseReader, type ReadAnswer } from './response-reader.ts'

const READ_BYTES = 256 * 1024

export type LoadConnection = {
  /** The end of the answer is reported through `onAnswer`. */
  send(request: Uint8Array): void
  close(): void
}

export async function openConnection(
  port: number,
  events: { onAnswer: (answer: ReadAnswer) => void; onError: (error: Error) => void },
): Promise<LoadConnection> {
  const reader = createResponseReader(events.onAnswer)
  const read = (length: number, buffer: Uint8Array) => {
    try {
      reader.take(Buffer.from(buffer.buffer, buffer.byteOffset, length))
    } catch (error) {
      events.onError(error as Error)
    }
    return true
  }
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES)
  const socket: Socket = connect({ port, host: '127.0.0.1', onread: { buffer, callback: read } })
  socket.setNoDelay(true)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  let isClosing = false
  socket.on('error', events.onError)
  socket.on('close', () => {
    if (!isClosing) events.onError(new Error('the server closed a connection'))
  })
  return {
    send: (request) => void socket.write(request),
    close: () => {
      isClosing = true
      socket.destroy()
    },
  }
}
