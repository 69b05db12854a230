// An answer on its way out: what belongs on every one of them, compression where it is asked for, and
// the two ways to send it: as a Response of the platform, or written to Node's own. CORS and
// compression are done here rather than by middleware: most requests want neither, and the rest want
// a header or two.

import type { ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'
import { chooseEncoding, compress, MIN_COMPRESSED_BYTES } from './compression.ts'
import type { HttpRequest } from './http-request.ts'

export const BASE_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'RateLimit-Limit, RateLimit-Reset, RateLimit-Remaining, RateLimit-Policy, Retry-After, Slipstream-Behind',
  'x-content-type-options': 'nosniff',
}
const BASE = Object.entries(BASE_HEADERS).flat()
/** Of an answer that is what this node has, since the engine that nodes share was away or slow. */
const BEHIND = ['slipstream-behind', 'engine']

type Envelope = { requestId: string; isDraining: boolean }

/** As it goes out: `headers` are names and values in turn, the form that Node writes fastest. */
export type FinishedAnswer = Pick<Answer, 'status' | 'body'> & { headers: string[] }

/** The answer with all its headers, its length included, compressed if the client wants that. */
export function finishAnswer(
  request: HttpRequest,
  answer: Answer,
  { requestId, isDraining }: Envelope,
): FinishedAnswer | Promise<FinishedAnswer> {
  const { status, body } = answer
  const headers = [...BASE, 'x-request-id', requestId]
  if (isDraining) headers.push('connection', 'close')
  for (const name in answer.headers) headers.push(name, answer.headers[name]!)
  if (request.isBehind) headers.push(...BEHIND)
  if (request.limitHeaders) headers.push(...request.limitHeaders)
  const length = bodyLength(body)
  if (body && length >= MIN_COMPRESSED_BYTES && !answer.headers['content-encoding']) {
    headers.push('vary', 'accept-encoding')
    const encoding = chooseEncoding(request.header('accept-encoding'))
    if (encoding !== 'identity') {
      headers.push('content-encoding', encoding)
      return compress(wholeBody(body), encoding).then((compressed) => {
        headers.push('content-length', String(compressed.length))
        return { status, body: compressed, headers }
      })
    }
  }
  headers.push('content-length', String(length))
  return { status, body, headers }
}

export function toResponse(
  { method }: HttpRequest,
  { status, body, headers }: FinishedAnswer,
): Response {
  const sent = body && method !== 'HEAD' ? (wholeBody(body) as Uint8Array<ArrayBuffer>) : null
  // Given at once, as the adapter writes them without making Headers.
  const all: Record<string, string> = {}
  for (let i = 0; i < headers.length; i += 2) all[headers[i]!] = headers[i + 1]!
  return new Response(sent, { status, headers: all })
}

/** Pieces of a body go out by one system call, without being joined. */
export function writeAnswer(
  response: ServerResponse,
  { status, body, headers }: FinishedAnswer,
): void {
  if (response.destroyed) return
  response.writeHead(status, headers)
  if (!isPieces(body)) {
    response.end(body)
    return
  }
  response.cork()
  for (const piece of body) response.write(piece)
  response.end()
}

function bodyLength(body: Answer['body']): number {
  if (!isPieces(body)) return body?.length ?? 0
  let length = 0
  for (const piece of body) length += piece.length
  return length
}

function wholeBody(body: NonNullable<Answer['body']>): Buffer {
  return isPieces(body) ? Buffer.concat(body) : body
}

function isPieces(body: Answer['body']): body is readonly Buffer[] {
  return Array.isArray(body)
}
