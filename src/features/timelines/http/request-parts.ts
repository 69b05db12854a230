// Reads parts of /v1 requests: a JSON body as text, and parameters that must be unambiguous.

import { invalidRequest, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import type { HttpRequest } from '../../../http/server/http-request.ts'
import { readRequestBody } from '../../../http/server/request-body.ts'

const JSON_TYPE = /^application\/json *(;|$)/i

/** @throws XRPCError 400, 413 or 415 */
export async function readJsonText(request: HttpRequest): Promise<string> {
  if (!JSON_TYPE.test(request.header('content-type') ?? '')) {
    throw new XRPCError(415, 'UnsupportedMediaType', 'The body must be application/json')
  }
  const body = await readRequestBody(request)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw invalidRequest('The body is not UTF-8')
  }
}

/** @throws XRPCError 400, 413 or 415 */
export async function readJson(request: HttpRequest): Promise<unknown> {
  const text = await readJsonText(request)
  try {
    return JSON.parse(text)
  } catch {
    throw invalidRequest('The body is not JSON')
  }
}

/**
 * A parameter given twice is ambiguous.
 * @throws XRPCError 400
 */
export function once(name: string, values: readonly string[] = []): string | undefined {
  if (values.length > 1) throw invalidRequest(`${name} must be given once`)
  return values[0]
}
