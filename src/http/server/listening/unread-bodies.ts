// A request may be answered before its body is read (a 401, say), and Node then reads and discards the rest,
// however long it is. The bytes an honest client still has in flight are read, so that no reset destroys its
// answer. And a body may come in chunks of a byte.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { boundPieces } from '../../../base/util/few-pieces.ts'

/** More than any body that we accept, sent over a slow network. */
const MAX_BYTES = 256 << 10
const MAX_MS = 2_000
const LOOK_EVERY_MS = 50
const CHUNKS = { free: 2_000, bytesAPiece: 256 }

/** Closes the connection of a client that keeps sending after the answer. */
export function boundUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return
  if (request.headers['transfer-encoding'] !== undefined) boundChunks(request)
  // A destroyed request has no socket.
  const { socket } = request
  response.once('finish', () => {
    if (request.complete) return
    request.resume()
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

/** Closes the connection while Node still reads: it hands over each chunk, and waits for nobody. */
function boundChunks(request: IncomingMessage): void {
  const { socket } = request
  // Otherwise Node would drop what comes after the answer without handing it over.
  request.read(0)
  boundPieces(request, CHUNKS, { isOver: () => socket.destroyed, end: () => socket.destroy() })
}

/** Most requests have no body, and a listener on each would cost more than this check. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined
}
