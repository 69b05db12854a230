// Parses a procedure's body by its lexicon. Accepts only JSON of bounded depth without keys that could reach
// a prototype.

import { jsonToLex, type Lexicons } from '@atproto/lexicon'
import { invalidRequest, XRPCError } from '../../base/atproto/xrpc-error.ts'
import { hasMoreValues } from '../../base/util/json-object.ts'

/** Returns undefined for methods that take no body. */
export type InputParser = (body: Buffer, contentType: string | undefined) => unknown

const MAX_DEPTH = 32
/** Of a received page of a hundred records, as commas tell: distinct keys cost most, 1 MB of them 0.25 s. */
const MAX_VALUES = 20_000

/** @throws if the lexicon has no such query or procedure, or its body is not JSON */
export function createInputParser(lexicons: Lexicons, nsid: string): InputParser {
  const method = lexicons.getDefOrThrow(nsid, ['query', 'procedure'])
  const input = method.type === 'procedure' ? method.input : undefined
  if (!input) return refuseBody
  if (input.encoding !== 'application/json') throw new Error(`${nsid} takes no JSON`)
  return (body, contentType) => {
    if (body.length === 0) throw invalidRequest('A request body is expected but none was provided')
    refuseOtherThanJson(contentType)
    return validate(lexicons, nsid, parseSafeJson(body))
  }
}

/**
 * Parses JSON that is safe to walk and to forward: not too deep, no `__proto__`, every string
 * well-formed.
 * @throws XRPCError InvalidRequest
 */
function parseSafeJson(body: Buffer): unknown {
  const value = parse(body)
  checkSafe(value, 0)
  return value
}

function refuseBody(body: Buffer): undefined {
  if (body.length === 0) return undefined
  throw invalidRequest('A request body was provided when none was expected')
}

function refuseOtherThanJson(contentType: string | undefined): void {
  if (!contentType) {
    throw invalidRequest('Request encoding (Content-Type) required but not provided')
  }
  const type = contentType.split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/json') {
    throw invalidRequest(`Wrong request encoding (Content-Type): ${type.slice(0, 100)}`)
  }
}

/**
 * The same for a response that we received, which is longer than a request's body may be.
 * @returns undefined if it is not JSON, or not safe, or has too many values
 */
export function readSafeJson(body: Buffer): unknown {
  if (hasMoreValues(body, MAX_VALUES)) return undefined
  try {
    return parseSafeJson(body)
  } catch {
    return undefined
  }
}

function validate(lexicons: Lexicons, nsid: string, value: unknown): unknown {
  try {
    return lexicons.assertValidXrpcInput(nsid, jsonToLex(value))
  } catch (error) {
    if (error instanceof XRPCError) throw error
    throw invalidRequest((error as Error).message)
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw invalidRequest('The request body is not JSON')
  }
}

function checkSafe(value: unknown, depth: number): void {
  if (typeof value === 'string' && !value.isWellFormed()) {
    throw invalidRequest('The request body has half of a surrogate pair')
  }
  if (typeof value !== 'object' || value === null) return
  if (depth >= MAX_DEPTH) throw invalidRequest(`The request body is nested over ${MAX_DEPTH} deep`)
  if (Object.hasOwn(value, '__proto__')) throw invalidRequest('The request body has a __proto__')
  for (const inner of Object.values(value)) checkSafe(inner, depth + 1)
}
