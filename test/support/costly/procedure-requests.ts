// Bodies of procedures, made from their lexicons: texts, lists and nested values as large as allowed.

import { loadLexicons } from '../../../src/base/atproto/lexicons/lexicons.ts'
import { methods } from '../../../src/http/xrpc/methods.ts'
import { crowd } from './acts.ts'
import type { Request } from './requests.ts'
import { type Cast, MEMBER, WHALE } from './worst-rows.ts'

type Schema = {
  type: string
  properties?: Record<string, Schema>
  items?: Schema
  ref?: string
  refs?: string[]
  format?: string
  knownValues?: string[]
  enum?: string[]
  const?: unknown
  maxLength?: number
  maxGraphemes?: number
  maximum?: number
}

/** A body may have 100 kB. */
const MOST_BYTES = 95_000
const MOST_ITEMS = 2_000
const MOST_TEXT = 2_000
const MOST_INNER = 3
const DEPTH = 8
const VIEWERS = [MEMBER, WHALE]
const SUBJECTS = 6

export function procedureNames(): string[] {
  return methods.filter(({ kind }) => kind === 'procedure').map(({ nsid }) => nsid)
}

export function procedureRequests(cast: Cast): Request[] {
  return procedureNames().flatMap((nsid) => {
    const schema = inputOf(nsid)
    return VIEWERS.flatMap((viewer) =>
      Array.from({ length: SUBJECTS }, (_, i) => ({
        method: nsid,
        viewer,
        path: `/xrpc/${nsid}`,
        verb: 'POST' as const,
        body: largest(schema, { cast, i }),
      })),
    )
  })
}

function inputOf(nsid: string): Schema | undefined {
  const def = loadLexicons().getDefOrThrow(nsid, ['procedure']) as unknown as {
    input?: { schema?: Schema }
  }
  return def.input?.schema
}

type Drawn = { cast: Cast; i: number }

/** The body with lists that are as long as fit. */
function largest(schema: Schema | undefined, drawn: Drawn): unknown {
  if (!schema) return undefined
  for (let most = MOST_ITEMS; most > 1; most = Math.floor(most / 2)) {
    const body = drawnFor(schema, { ...drawn, most, depth: DEPTH })
    if (JSON.stringify(body).length <= MOST_BYTES) return body
  }
  return drawnFor(schema, { ...drawn, most: 1, depth: DEPTH })
}

type At = Drawn & { most: number; depth: number; name?: string }

function drawnFor(schema: Schema, at: At): unknown {
  if (schema.const !== undefined) return schema.const
  switch (schema.type) {
    case 'ref':
      return referred(schema.ref!, at)
    case 'union':
      return { ...(referred(refAt(schema, at), at) as object), $type: typeOf(refAt(schema, at)) }
    case 'object':
      return objectOf(schema, at)
    case 'array':
      return arrayOf(schema, at)
    case 'boolean':
      return at.i % 2 === 0
    case 'integer':
      return schema.maximum ?? 100
    case 'string':
      return textOf(schema, at)
    default:
      return {}
  }
}

/** Lists within a list are short, so that the outer one can be long. */
function arrayOf({ items, maxLength = Infinity }: Schema, at: At): unknown[] {
  const length = Math.min(at.most, maxLength)
  const most = Math.min(at.most, MOST_INNER)
  return Array.from({ length }, (_, n) => drawnFor(items!, { ...at, most, i: at.i + n }))
}

function refAt({ refs = [] }: Schema, { i }: At): string {
  return refs[i % refs.length]!
}

function typeOf(ref: string): string {
  return ref.replace(/^lex:/, '').replace(/#main$/, '')
}

function referred(ref: string, at: At): unknown {
  if (at.depth === 0) return {}
  return drawnFor(loadLexicons().getDefOrThrow(ref) as unknown as Schema, {
    ...at,
    depth: at.depth - 1,
  })
}

function objectOf({ properties = {} }: Schema, at: At): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, drawnFor(schema, { ...at, name })]),
  )
}

function textOf(
  { format, maxLength = MOST_TEXT, maxGraphemes, ...schema }: Schema,
  at: At,
): string {
  const { cast, i, name, most } = at
  const known = schema.knownValues ?? schema.enum
  if (known) return known[i % known.length]!
  if (format === 'at-uri') return uriFor(cast, name, i)
  if (format === 'did' || format === 'at-identifier') return crowd(i)
  if (format === 'datetime') return new Date().toISOString()
  if (format === 'tid') return '3kaaaaaaaaaa2'
  if (format === 'cid') return 'bafyreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
  if (format === 'uri') return `https://costly.test/${i}`
  if (format === 'language') return 'en'
  const length = Math.min(maxGraphemes ?? maxLength, maxLength, MOST_TEXT, Math.max(most, 8))
  return `${i} ${'wo '.repeat(length)}`.slice(0, length)
}

function uriFor({ lists, posts, feeds }: Cast, name: string | undefined, i: number): string {
  if (name === 'list') return lists[i % lists.length]!
  if (name === 'feed') return feeds[i % feeds.length]!
  return posts[i % posts.length]!
}
