// Buffers for what goes from a file to a socket, used again: memory that is new for each piece takes a third of the
// work, since the system clears it first. A buffer comes back only when the socket has handed all of it to the system,
// which is asked of the socket; what takes a body in another way keeps its buffers, and others are made.

import type { ServerResponse } from 'node:http'

type Lender = {
  /** Of at least so many bytes, up to `LARGE_BYTES`. */
  take(bytes: number): Buffer
}

/** Of those that come back. */
export const LARGE_BYTES = 1024 * 1024
const MAX_SPARE = 8

const spare: Buffer[] = []

/** For one body. @param outgoing - which nothing is written to yet; undefined where there is none. */
export function createLender(outgoing: ServerResponse | undefined): Lender {
  const socket = outgoing?.socket
  const writtenBefore = socket?.bytesWritten ?? 0
  let taken = 0
  let lent: Buffer[] = []

  const giveBack = () => {
    const room = Math.max(0, MAX_SPARE - spare.length)
    spare.push(...lent.filter(({ length }) => length === LARGE_BYTES).slice(0, room))
    lent = []
  }
  const isSent = () =>
    socket?.writableLength === 0 &&
    outgoing?.writableLength === 0 &&
    socket.bytesWritten - writtenBefore >= taken
  outgoing?.once('finish', giveBack)

  return {
    take(bytes) {
      if (lent.length > 0 && isSent()) giveBack()
      const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(bytes)
      lent.push(buffer)
      taken += bytes
      return buffer
    },
  }
}
