// Parses a query string by a method's lexicon: arrays by repetition, integers and booleans in one spelling
// only; formats, limits and defaults by the official validator. Unknown names are ignored, as in the
// reference; an empty value counts as missing. Unlike the reference, `limit=abc` is an error, not 0.

import { type LexiconDoc, Lexicons, type LexUserType } from '@atproto/lexicon'
import { invalidRequest } from '../../base/atproto/xrpc-error.ts'
import type { Params } from './method.ts'

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
