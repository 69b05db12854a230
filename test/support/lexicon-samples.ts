// Values that satisfy a lexicon, with all fields filled: one for every alternative of a union. And the places
// in such a value where a client may write a text or a list.

import type { Lexicons } from '@atproto/lexicon'
import { blobOf, cidOf, didOf, tidAt } from './records.ts'

type Schema = {
  type: string
  ref?: string
  refs?: string[]
  format?: string
  const?: unknown
  enum?: unknown[]
  knownValues?: string[]
  minimum?: number
  accept?: string[]
  items?: Schema
  properties?: Record<string, Schema>
  record?: Schema
}

type Json = Record<string, unknown>

/**
 * `kind` identifies the same place in two samples: field names, and types of the objects on the
 * way.
 */
export type Position = { path: (string | number)[]; kind: string; value: unknown }

const MAX_DEPTH = 8
const key = tidAt(1_793_534_400_000_000)

export const sampleDid = didOf('sample')
export const samplePost = `at://${sampleDid}/app.bsky.feed.post/${key}`
export const sampleList = `at://${sampleDid}/app.bsky.graph.list/${key}`

const formats: Record<string, string> = {
  'at-uri': samplePost,
  'at-identifier': sampleDid,
  did: sampleDid,
  handle: 'sample.test',
  cid: cidOf('sample'),
  datetime: '2026-11-01T12:00:00.000Z',
  language: 'en',
  nsid: 'app.bsky.feed.post',
  'record-key': key,
  tid: key,
  uri: 'https://example.org/path',
}

/** @param lexUri - of a record, or of a procedure for its input */
export function samplesOf(lexicons: Lexicons, lexUri: string): Json[] {
  const definition = lexicons.getDefOrThrow(lexUri) as unknown as Schema & {
    input?: { schema?: Schema }
  }
  const schema = definition.record ?? definition.input?.schema
  if (!schema) return []
  const typed = definition.record ? { $type: lexUri } : {}
  return read(lexicons, schema, 0).map((value) => ({ ...typed, ...(value as Json) }))
}

/** Returns a query's required parameters with values, and all parameters that take texts. */
export function parametersOf(lexicons: Lexicons, nsid: string) {
  const { parameters } = lexicons.getDefOrThrow(nsid, ['query']) as unknown as {
    parameters?: { properties: Record<string, Schema>; required?: string[] }
  }
  const sample = (name: string): unknown => {
    const schema = parameters!.properties[name]!
    return fieldOf(lexicons, name, schema.type === 'array' ? schema.items! : schema, 0)[0]
  }
  const { properties = {}, required = [] } = parameters ?? {}
  const texts = Object.entries(properties).filter(([, { type, items }]) => {
    return type === 'string' || items?.type === 'string'
  })
  return {
    required: Object.fromEntries(required.map((name) => [name, sample(name)])),
    texts: texts.map(([name]) => ({ name, sample: sample(name) as string })),
  }
}

/** Returns the texts and lists in a value, except its own `$type` and those of its parts. */
export function positionsIn(value: unknown, path: Position['path'] = [], kind = ''): Position[] {
  const own = { path, kind, value }
  if (typeof value === 'string') return [own]
  if (Array.isArray(value))
    return [own, ...value.flatMap((item, i) => positionsIn(item, [...path, i], `${kind}[]`))]
  if (typeof value !== 'object' || value === null) return []
  const { $type = '' } = value as Json
  return Object.entries(value).flatMap(([name, inner]) => {
    return name === '$type' ? [] : positionsIn(inner, [...path, name], `${kind}${$type}.${name}`)
  })
}

/** Returns a copy with another value in one place. */
export function withValue<T>(value: T, { path }: Position, inserted: unknown): T {
  const copy = structuredClone(value)
  const at = path.slice(0, -1).reduce((inner, step) => (inner as Json)[step] as never, copy)
  ;(at as Json)[path.at(-1)!] = inserted
  return copy
}

function read(lexicons: Lexicons, schema: Schema, depth: number): unknown[] {
  switch (schema.type) {
    case 'ref':
      return named(lexicons, schema.ref!, depth)
    case 'union':
      return schema.refs!.flatMap((ref) => {
        return named(lexicons, ref, depth).map((value) => ({
          $type: ref.replace('lex:', ''),
          ...(value as Json),
        }))
      })
    case 'object':
      return objects(lexicons, schema, depth)
    case 'array':
      return depth > MAX_DEPTH
        ? [[]]
        : read(lexicons, schema.items!, depth + 1).map((item) => [item])
    default:
      return [plain(schema)]
  }
}

function named(lexicons: Lexicons, ref: string, depth: number): unknown[] {
  return read(lexicons, lexicons.getDefOrThrow(ref) as unknown as Schema, depth + 1)
}

/**
 * Returns samples: the first has the first alternative everywhere; each other differs in one field.
 */
function objects(lexicons: Lexicons, { properties = {} }: Schema, depth: number): Json[] {
  const choices = Object.entries(properties).map(([name, schema]) => {
    return [name, fieldOf(lexicons, name, schema, depth + 1)] as const
  })
  const first = Object.fromEntries(choices.map(([name, [item]]) => [name, item]))
  const others = choices.flatMap(([name, [, ...rest]]) =>
    rest.map((item) => ({ ...first, [name]: item })),
  )
  return [first, ...others]
}

function fieldOf(lexicons: Lexicons, name: string, schema: Schema, depth: number): unknown[] {
  if (name === 'list' && schema.format === 'at-uri') return [sampleList]
  return read(lexicons, schema, depth)
}

function plain(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  switch (schema.type) {
    case 'string':
      return schema.knownValues?.[0] ?? formats[schema.format ?? ''] ?? 'hello'
    case 'integer':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'blob':
      return blobOf('sample', schema.accept?.[0]?.replace('*', 'png'))
    case 'bytes':
      return { $bytes: 'aGVsbG8' }
    case 'cid-link':
      return { $link: cidOf('sample') }
    default:
      return { hello: 'there' }
  }
}
