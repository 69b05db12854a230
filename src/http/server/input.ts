// Parses a call's body and its query by the method's lexicon. Of bodies, accepts only JSON of bounded depth without
// keys that could reach a prototype.

import { jsonToLex, type LexiconDoc, Lexicons, type LexUserType } from '@atproto/lexicon'
import { invalidRequest, XRPCError } from '../../base/atproto/xrpc-error.ts'
import { hasMoreValues } from '../../base/util/json-object.ts'
import type { Params } from './method.ts'

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

// Query strings: arrays by repetition, integers and booleans in one spelling
// only; formats, limits and defaults by the official validator. Unknown names are ignored, as in the
// reference; an empty value counts as missing. Unlike the reference, `limit=abc` is an error, not 0.

/** `search` is the part after the question mark, still encoded. */
export type ParamsParser = (search: string) => Params

type LexParameters = NonNullable<Extract<LexUserType, { type: 'query' }>['parameters']>
type LexProperty = LexParameters['properties'][string]
type Read = (name: string, values: string[]) => unknown
type Property = {
  name: string
  read: Read
  validate: (value: unknown) => void
  isRequired: boolean
  fallback: unknown
}

const MAX_SEARCH_LENGTH = 16_384

/**
 * Validates only the given parameters, each by its own lexicon: for a whole method, the library
 * creates and discards an error, with its stack, for every missing optional parameter. That alone
 * would cost more than the rest of this file.
 *
 * @throws if the lexicon has no such query or procedure
 */
export function createParamsParser(lexicons: Lexicons, nsid: string): ParamsParser {
  const properties = readProperties(lexicons.getDefOrThrow(nsid, ['query', 'procedure']), nsid)
  return (search) => {
    if (search.length > MAX_SEARCH_LENGTH) throw invalidRequest('the query string is too long')
    const given = new URLSearchParams(search)
    const params: Params = {}
    for (const property of properties) {
      const value = readGiven(property, given)
      if (value !== undefined) params[property.name] = value
    }
    return params
  }
}

function readGiven(property: Property, given: URLSearchParams): unknown {
  const { name, read, validate, isRequired, fallback } = property
  const values = given.getAll(name).filter((value) => value !== '')
  if (values.length === 0 && isRequired && fallback === undefined) {
    throw invalidRequest(`Params must have the property "${name}"`)
  }
  if (values.length === 0) return fallback
  const value = read(name, values)
  validate(value)
  return value
}

function readProperties(method: LexUserType, nsid: string): Property[] {
  const { properties = {}, required = [] } = ('parameters' in method && method.parameters) || {}
  return Object.entries(properties).map(([name, property]) => ({
    name,
    read: createReader(property),
    validate: createValidator(nsid, name, property),
    isRequired: required.includes(name),
    fallback: 'default' in property ? property.default : undefined,
  }))
}

/** The library's own check of one parameter, as if the method had no other. */
function createValidator(nsid: string, name: string, property: LexProperty) {
  const parameters = { type: 'params', properties: { [name]: property } }
  const doc = { lexicon: 1, id: nsid, defs: { main: { type: 'query', parameters } } }
  const alone = new Lexicons([structuredClone(doc) as LexiconDoc])
  return (value: unknown): void => {
    try {
      alone.assertValidXrpcParams(nsid, { [name]: value })
    } catch (error) {
      throw invalidRequest((error as Error).message)
    }
  }
}

function createReader(property: LexProperty): Read {
  if (property.type !== 'array') return readOne(property.type)
  const readItem = readValue(property.items.type)
  return (name, values) => values.map((value) => readItem(name, value))
}

function readOne(type: string): Read {
  const read = readValue(type)
  return (name, values) => {
    if (values.length > 1) throw invalidRequest(`${name} must be given once`)
    return read(name, values[0]!)
  }
}

function readValue(type: string): (name: string, value: string) => unknown {
  switch (type) {
    case 'integer':
      return readInteger
    case 'boolean':
      return readBoolean
    default:
      return (_name, value) => value
  }
}

function readInteger(name: string, value: string): number {
  const number = /^-?\d{1,16}$/.test(value) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(number)) throw invalidRequest(`${name} must be an integer`)
  return number
}

function readBoolean(name: string, value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true'
  throw invalidRequest(`${name} must be true or false`)
}
