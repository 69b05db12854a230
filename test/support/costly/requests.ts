// The requests, made from the lexicons: each method's subjects for each viewer with every number at its
// maximum, every further parameter with each of its values, lists as long as allowed, and cursors: its own, at
// the edges, and with other numbers than were given. A new method is asked without a line here.

import type { DescService } from '@bufbuild/protobuf'
import { parseRecordUri } from '../../../src/base/atproto/at-uri.ts'
import { loadLexicons } from '../../../src/base/atproto/lexicons/lexicons.ts'
import type { Random } from '../random.ts'
import { crowd } from './acts.ts'
import { type Cast, COLLECTOR, LABELER, MEMBER, WHALE } from './worst-rows.ts'

export type Request = {
  /** The method, or a route's name. */
  method: string
  /** undefined: a visitor, or as `token` says. */
  viewer?: string | undefined
  /** With the query, without a cursor. */
  path: string
  verb?: 'POST' | 'PUT'
  /** Sent as JSON, or a text as it is. */
  body?: unknown
  /** A call of the dataplane interface instead; its message may be large, so it is made when sent. */
  rpc?: { service: DescService; name: string; message: () => object }
  headers?: Record<string, string>
  /** Its answer goes on; only its beginning is read. */
  isEndless?: boolean
  /** The asker leaves then. */
  patienceMs?: number
  /** Sends the token of a program, or of the operator. */
  token?: 'program' | 'operator'
  /** Also asks for the page behind, and with cursors that were never given. */
  isPaged?: boolean
}

type Schema = {
  type: string
  items?: Schema
  minimum?: number
  maximum?: number
  maxLength?: number
  knownValues?: string[]
  enum?: string[]
  format?: string
}
type Params = Record<string, unknown>
type Query = {
  nsid: string
  cast: Cast
  properties: Record<string, Schema>
  required: readonly string[]
}

const VIEWERS = [undefined, MEMBER, WHALE, COLLECTOR]
const DEFAULT_LENGTH = 100
const SEARCHED = ['q', 'query', 'term', 'tag', 'tags', 'reasons']
const WORDS = [
  'many',
  'wörter alt tag1 post',
  'costly',
  'of of of',
  'crowd',
  'list',
  'pack',
  'feed',
]

export function queriesFor(nsid: string, cast: Cast): Request[] {
  const { parameters } = loadLexicons().getDefOrThrow(nsid, ['query']) as unknown as {
    parameters?: { properties?: Record<string, Schema>; required?: string[] }
  }
  const { properties = {}, required = [] } = parameters ?? {}
  const query: Query = { nsid, cast, properties, required }
  const subjects = subjectsOf(query)
  const largest = numbersAtTheirMost(query)
  return [
    ...subjects.flatMap((params) =>
      VIEWERS.map((viewer) => requested(query, viewer, { ...largest, ...params })),
    ),
    ...varied(query, subjects, largest),
  ]
}

/** Draws requests with several parameters at once. */
export function drawnQuery(nsid: string, cast: Cast, random: Random): Request {
  const { parameters } = loadLexicons().getDefOrThrow(nsid, ['query']) as unknown as {
    parameters?: { properties?: Record<string, Schema>; required?: string[] }
  }
  const { properties = {}, required = [] } = parameters ?? {}
  const query: Query = { nsid, cast, properties, required }
  const params: Params = { ...random.pick(subjectsOf(query)) }
  for (const [name, schema] of Object.entries(properties)) {
    if (name in params || name === 'cursor' || !random.chance(0.5)) continue
    params[name] = random.pick(valuesOf(query, name, schema))
  }
  return requested(query, random.pick(VIEWERS), params)
}

function subjectsOf(query: Query): Params[] {
  const { nsid, required, properties, cast } = query
  if (nsid === 'com.atproto.repo.getRecord') return cast.posts.slice(0, 3).map(recordOf)
  const lists = required.map((name) => valuesOf(query, name, properties[name]!))
  const count = Math.max(1, ...lists.map(({ length }) => length))
  return Array.from({ length: count }, (_, i) =>
    Object.fromEntries(required.map((name, at) => [name, lists[at]![i % lists[at]!.length]])),
  )
}

function recordOf(uri: string): Params {
  const { did: repo, collection, rkey } = parseRecordUri(uri)!
  return { repo, collection, rkey }
}

function numbersAtTheirMost({ properties }: Query): Params {
  const numbers = Object.entries(properties).filter(([, { type }]) => type === 'integer')
  return Object.fromEntries(numbers.map(([name, { maximum = 100 }]) => [name, maximum]))
}

function valuesOf({ cast, nsid }: Query, name: string, schema: Schema): unknown[] {
  if (schema.type === 'boolean') return [true, false]
  if (schema.type === 'integer') {
    const { minimum = 0, maximum = 100 } = schema
    return [...new Set([maximum, minimum])]
  }
  const item = schema.type === 'array' ? schema.items! : schema
  const values = textsFor(cast, nsid, name, item)
  return schema.type === 'array' ? [longest(values, schema.maxLength), values.slice(0, 1)] : values
}

function textsFor(cast: Cast, nsid: string, name: string, { format, ...schema }: Schema): string[] {
  const known = schema.knownValues ?? schema.enum
  if (known) return known
  const { actors, posts, large, lists, feeds, packs } = cast
  const records = {
    feed: feeds.slice(0, 2),
    feeds,
    list: lists,
    lists,
    starterPack: [...packs.slice(0, 1), ...packs.slice(-1)],
    uris: [...large, ...posts],
    anchor: posts,
    uri: posts,
  }
  if (nsid.endsWith('getStarterPacks')) return packs
  if (name in records) return records[name as keyof typeof records]
  if (name === 'uriPatterns') return ['*', `${WHALE}*`, ...actors, ...posts]
  if (format === 'at-uri') return posts
  if (format === 'did' || format === 'at-identifier') return actors
  if (format === 'datetime') return [new Date(0).toISOString(), new Date().toISOString()]
  return SEARCHED.includes(name) ? WORDS : WORDS.slice(0, 1)
}

/** As many different values as the list may have. */
function longest(values: readonly string[], most = DEFAULT_LENGTH): string[] {
  const isActors = values[0]?.startsWith('did:') ?? false
  const more = isActors ? Array.from({ length: most }, (_, i) => crowd(i)) : []
  return [...new Set([...values, ...more])].slice(0, most)
}

function varied(query: Query, subjects: readonly Params[], largest: Params): Request[] {
  const { properties, required } = query
  const names = Object.keys(properties).filter(
    (name) => name !== 'cursor' && !required.includes(name),
  )
  return names.flatMap((name) =>
    valuesOf(query, name, properties[name]!).flatMap((value, i) =>
      [undefined, MEMBER].map((viewer) =>
        requested(query, viewer, { ...largest, ...subjects[i % subjects.length], [name]: value }),
      ),
    ),
  )
}

function requested(
  { nsid, properties }: Query,
  viewer: string | undefined,
  params: Params,
): Request {
  const pairs = Object.entries(params).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item): [string, string] => [name, String(item)]),
  )
  const text = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
  return { method: nsid, viewer, path: `/xrpc/${nsid}${text}`, isPaged: 'cursor' in properties }
}

/** Cursors that were never given, in the form of one that was. */
export function forgedCursors(given: string): string[] {
  const number = /\d{4,}/
  if (!number.test(given)) return []
  const middle = String(Date.now() - 3 * 3_600_000)
  return ['0', '9999999999999', middle].map((other) => given.replace(number, other))
}

export function labelled(request: Request): Request {
  return { ...request, headers: { 'atproto-accept-labelers': `${LABELER};redact` } }
}
