// Requests that Node's parser rejects get an answer like all other refusals: Node's own has no body and no
// CORS headers. It is never written into the middle of another answer, which that would corrupt.

import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { BASE_HEADERS, errorAnswer } from '../http-answer.ts'

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

/** @param unanswered - waiting requests of this connection, in order */
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
