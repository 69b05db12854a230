// What Node's parser makes no request of is answered like everything else that is refused: Node's own answer has no
// body, and says nothing to a page of another origin. Never in the middle of an answer, which it would corrupt.

import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { XRPCError } from '../../base/atproto/xrpc-error.ts'
import { errorAnswer } from './answer.ts'
import { BASE_HEADERS } from './http-answer.ts'

const REFUSALS: Record<string, XRPCError> = {
  HPE_HEADER_OVERFLOW: new XRPCError(
    431,
    'RequestHeaderFieldsTooLarge',
    'Address and headers together are larger than 16 kB',
  ),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new XRPCError(413, 'PayloadTooLarge', 'Chunks have extensions'),
  ERR_HTTP_REQUEST_TIMEOUT: new XRPCError(408, 'RequestTimeout', 'The request took too long'),
}
const UNREADABLE = new XRPCError(400, 'InvalidRequest', 'The request is not readable')

/** @param unanswered - requests of this connection that wait, in their order */
export function refuseUnreadable(
  { code = '' }: NodeJS.ErrnoException,
  socket: Socket,
  unanswered: Iterable<ServerResponse>,
): void {
  const [begun, next] = unanswered
  const isBetween = !next && !begun?.headersSent
  if (socket.writable && isBetween) socket.write(bytesOf(REFUSALS[code] ?? UNREADABLE))
  socket.destroySoon()
}

function bytesOf(error: XRPCError): string {
  const { status, body, headers } = errorAnswer(error)
  const text = String(body)
  const length = String(Buffer.byteLength(text))
  const all = { ...BASE_HEADERS, ...headers, 'content-length': length, connection: 'close' }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`
}
