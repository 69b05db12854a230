// A request may be answered before its body is read (a 401, say), and Node then reads and discards the rest,
// however long it is. The bytes an honest client still has in flight are read, so that no reset destroys its
// answer.

import type { IncomingMessage, ServerResponse } from 'node:http'

/** More than any body that we accept, sent over a slow network. */
const MAX_BYTES = 256 << 10
const MAX_MS = 2_000
const LOOK_EVERY_MS = 50

/** Closes the connection of a client that keeps sending after the answer. */
export function boundUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return
  // A destroyed request has no socket.
  const { socket } = request
  response.once('finish', () => {
    if (request.complete) return
    const maxBytesRead = socket.bytesRead + MAX_BYTES
    const endsMs = performance.now() + MAX_MS
    const look = setInterval(() => {
      const isEnded = request.complete || socket.destroyed
      if (!isEnded && socket.bytesRead <= maxBytesRead && performance.now() <= endsMs) return
      clearInterval(look)
      if (!isEnded) socket.destroy()
    }, LOOK_EVERY_MS)
  })
}

/** Most requests have no body, and a listener on each would cost more than this check. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined
}
