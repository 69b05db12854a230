// Answers: handlers' results and errors in one shape, finished with the common headers, compressed on request, and
// sent in one of two ways, as a platform Response or to Node's own. CORS and compression are handled here instead of
// by middleware: most requests need neither, and the rest need a header or two.

import type { ServerResponse } from 'node:http'
import { CachedBytes } from '../../answers/views/json/cached-bytes.ts'
import { answerMemory, jsonBytes } from '../../answers/views/json/ready-json.ts'
import {
  noSpace,
  tooManyFetches,
  unauthorized,
  unavailable,
  XRPCError,
} from '../../base/atproto/xrpc-error.ts'
import { InvariantError } from '../../base/util/assert.ts'
import { FetchLimitError } from '../../bridge/fetch-limit.ts'
import { DiskFullError } from '../../data/store/files/disk-full.ts'
import { IdentityUnavailableError } from '../../sources/identity/fetch-identity.ts'
import { ServiceAuthError } from '../../sources/identity/service-jwt.ts'
import { chooseEncoding, compress, MIN_COMPRESSED_BYTES } from './compression.ts'
import type { HttpRequest } from './http-request.ts'
import type { MethodResult } from './method.ts'

export type Answer = {
  status: number
  /** In one piece, or in several that are sent one after another. */
  body: Buffer | readonly Buffer[] | CachedBytes | null
  headers: Record<string, string>
  /** The body's memory is used for another answer once this one is sent: nothing may keep it. */
  isSentOnce?: boolean
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

export function jsonAnswer(
  value: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Answer {
  return { status, body: jsonBytes(value), headers: { ...JSON_TYPE, ...headers } }
}

export function textAnswer(text: string, status = 200): Answer {
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  return { status, body: Buffer.from(text), headers }
}

/** Encoded bytes are sent unchanged. */
export function resultAnswer({ body, headers }: MethodResult): Answer {
  if (body === undefined) return { status: 200, body: null, headers: headers ?? {} }
  const all = headers ? { ...JSON_TYPE, ...headers } : JSON_TYPE
  if (isBytes(body)) return { status: 200, body, headers: all }
  return { status: 200, body: jsonBytes(body), headers: all, isSentOnce: true }
}

/**
 * JSON has no lists that begin with a Buffer, so such a list is the pieces of an encoded answer.
 */
function isBytes(body: unknown): body is Buffer | readonly Buffer[] | CachedBytes {
  if (body instanceof CachedBytes) return true
  return Buffer.isBuffer(Array.isArray(body) ? body[0] : body)
}

export function errorAnswer(error: XRPCError): Answer {
  const { status, headers, fields } = error
  return jsonAnswer({ error: error.error, message: error.message, ...fields }, { status, headers })
}

/** Maps any thrown error to what the client may know of it. */
export function toXRPCError(error: unknown): XRPCError {
  if (error instanceof XRPCError) return error
  if (error instanceof ServiceAuthError) return unauthorized(error.error, error.message)
  if (error instanceof DiskFullError) return noSpace(error)
  if (error instanceof FetchLimitError) return tooManyFetches(error)
  if (error instanceof IdentityUnavailableError) {
    return unavailable('the identity of the issuer could not be looked up', {
      error: 'UpstreamFailure',
      hint: 'is the PLC directory (SLIPSTREAM_PLC_URL) or the did:web host reachable?',
      cause: error,
    })
  }
  return new XRPCError(500, 'InternalServerError', 'Internal Server Error', { cause: error })
}

/** A broken invariant must stop the server instead of becoming an answer. */
export function isBroken(error: unknown): boolean {
  return error instanceof InvariantError
}

export const BASE_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'RateLimit-Limit, RateLimit-Reset, RateLimit-Remaining, RateLimit-Policy, Retry-After, Slipstream-Behind',
  'x-content-type-options': 'nosniff',
}
const BASE = Object.entries(BASE_HEADERS).flat()

type Envelope = { requestId: string; isDraining: boolean }

/** Ready to send: `headers` alternates names and values, the form that Node writes fastest. */
export type FinishedAnswer = Pick<Answer, 'status' | 'isSentOnce'> & {
  body: Buffer | readonly Buffer[] | null
  headers: string[]
}

/** Adds all headers, including the length, and compresses if the client wants that. */
export function finishAnswer(
  request: HttpRequest,
  answer: Answer,
  { requestId, isDraining }: Envelope,
): FinishedAnswer | Promise<FinishedAnswer> {
  const { status, isSentOnce } = answer
  const cached = answer.body instanceof CachedBytes ? answer.body : undefined
  const body = answer.body instanceof CachedBytes ? answer.body.plain : answer.body
  const headers = [...BASE, 'x-request-id', requestId]
  if (isDraining) headers.push('connection', 'close')
  for (const name in answer.headers) headers.push(name, answer.headers[name]!)
  if (request.behind !== undefined) headers.push('slipstream-behind', request.behind)
  if (request.limitHeaders) headers.push(...request.limitHeaders)
  const length = bodyLength(body)
  if (body && length >= MIN_COMPRESSED_BYTES && !answer.headers['content-encoding']) {
    headers.push('vary', 'accept-encoding')
    const encoding = chooseEncoding(request.header('accept-encoding'))
    if (encoding !== 'identity') {
      headers.push('content-encoding', encoding)
      const finish = (compressed: Buffer) => {
        headers.push('content-length', String(compressed.length))
        return { status, body: compressed, headers }
      }
      const ready = cached?.compressed(encoding)
      if (ready) return finish(ready)
      return compress(fullBody(body), encoding).then((compressed) => {
        reuseMemory(answer)
        cached?.addCompressed(encoding, compressed)
        return finish(compressed)
      })
    }
  }
  headers.push('content-length', String(length))
  return { status, body, headers, isSentOnce }
}

export function toResponse(
  { method }: HttpRequest,
  { status, body, headers }: FinishedAnswer,
): Response {
  const sent = body && method !== 'HEAD' ? (fullBody(body) as Uint8Array<ArrayBuffer>) : null
  // A plain object, so that the adapter writes it without creating Headers.
  const all: Record<string, string> = {}
  for (let i = 0; i < headers.length; i += 2) all[headers[i]!] = headers[i + 1]!
  return new Response(sent, { status, headers: all })
}

/** Writes the pieces of a body in one system call, without joining them. */
export function writeAnswer(response: ServerResponse, answer: FinishedAnswer): void {
  const { status, body, headers, isSentOnce } = answer
  if (response.destroyed) return reuseMemory(answer)
  response.writeHead(status, headers)
  if (!isPieces(body)) {
    response.end(body, isSentOnce ? () => reuseMemory(answer) : undefined)
    return
  }
  response.cork()
  for (const piece of body) response.write(piece)
  response.end()
}

/** Called once the body has been handed to the system, or will not be sent. */
function reuseMemory({ body, isSentOnce }: Pick<Answer, 'body' | 'isSentOnce'>): void {
  if (isSentOnce && Buffer.isBuffer(body)) answerMemory.giveBack(body)
}

function bodyLength(body: FinishedAnswer['body']): number {
  if (!isPieces(body)) return body?.length ?? 0
  let length = 0
  for (const piece of body) length += piece.length
  return length
}

function fullBody(body: NonNullable<FinishedAnswer['body']>): Buffer {
  return isPieces(body) ? Buffer.concat(body) : body
}

function isPieces(body: FinishedAnswer['body']): body is readonly Buffer[] {
  return Array.isArray(body)
}
