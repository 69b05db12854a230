// Reuses buffers between file and socket: fresh memory for each chunk takes a third of the work, since the
// system clears it first. A buffer is returned only once its socket has handed all of it to the system, which
// the socket tells. Bodies consumed in another way keep their buffers, which are replaced.

import type { ServerResponse } from 'node:http'
import { createReusedMemory } from '../../../answers/views/json/ready-json.ts'

type Lender = {
  /** Returns a buffer of at least this size, up to `LARGE_BYTES`. */
  take(bytes: number): Buffer
}

/** Size of the buffers that are reused. */
export const LARGE_BYTES = 1024 * 1024
const MAX_SPARE = 8

const spare = createReusedMemory(MAX_SPARE * LARGE_BYTES)

/**
 * Makes a lender for one body.
 * @param outgoing - not written to yet; undefined if there is none
 */
export function createLender(outgoing: ServerResponse | undefined): Lender {
  const socket = outgoing?.socket
  const writtenBefore = socket?.bytesWritten ?? 0
  let taken = 0
  let lent: Buffer[] = []

  const giveBack = () => {
    for (const buffer of lent) spare.giveBack(buffer)
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
      const buffer = spare.take(bytes)
      lent.push(buffer)
      taken += bytes
      return buffer
    },
  }
}
