// An answer before it becomes HTTP: handlers' results and errors in one shape.

import { KeptBytes } from '../../answers/views/json/kept-bytes.ts'
import { jsonBytes } from '../../answers/views/json/ready-json.ts'
import {
  noRoom,
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
import type { MethodResult } from './method.ts'

export type Answer = {
  status: number
  /** In one piece, or in several that are sent one after another. */
  body: Buffer | readonly Buffer[] | KeptBytes | null
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
function isBytes(body: unknown): body is Buffer | readonly Buffer[] | KeptBytes {
  if (body instanceof KeptBytes) return true
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
  if (error instanceof DiskFullError) return noRoom(error)
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
