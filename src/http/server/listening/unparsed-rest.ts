// Node parses all that it has read of a connection, also after it was closed: 64 kB are two and a half thousand
// requests, each of which becomes an object and then an error, 100 ms of work that nothing counts. Its parser leaves
// the rest of a connection alone that goes on in another protocol, so that is what it is told of a closed one.

import type { Socket } from 'node:net'

type Begin = (request: unknown, isKeptAlive: unknown) => unknown
/** Not in the types of Node, which do not promise it: without it, the rest is parsed. */
type Parsed = Socket & { parser?: { onIncoming?: Begin } | null }

/** As the parser understands what is returned for a request. */
const IS_OTHER_PROTOCOL = 2

/** Must be called before anything is read. */
export function leaveRestUnparsed(socket: Socket): void {
  const { parser } = socket as Parsed
  const begin = parser?.onIncoming
  if (!parser || !begin) return
  parser.onIncoming = (request, isKeptAlive) =>
    socket.destroyed ? IS_OTHER_PROTOCOL : begin(request, isKeptAlive)
}
