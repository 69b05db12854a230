// A request may be answered before its body is read (a 401, say), and Node goes on reading the rest to throw it away,
// however long it is. What an honest client still has under way is read, so that no reset destroys its answer.

import type { IncomingMessage, ServerResponse } from 'node:http'

/** More than any body that we take, sent over a slow network. */
const MAX_BYTES = 256 << 10
const MAX_MS = 2_000
const LOOK_EVERY_MS = 50

/** Hangs up on whoever goes on sending behind the answer. */
export function boundUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return
  // Once destroyed, the request has none.
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

/** Most have none, and a listener for each would cost them more than this look. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined
}
