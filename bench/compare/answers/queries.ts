// The recorded queries, made from the lexicons: for each method its subjects for each viewer, each further
// parameter with some values, pages, labelers, and wrong input. So a new method is asked without a line here.

import { parseRecordUri } from '../../../src/base/atproto/at-uri.ts'
import { loadLexicons } from '../../../src/base/atproto/lexicons/lexicons.ts'
import type { Recorded } from './ask.ts'
import { type Cast, NOBODY } from './cast.ts'
import { LABELER } from './member-acts.ts'
import type { KnownMethod } from './tree.ts'

type Schema = {
  type: string
  items?: Schema
  minimum?: number
  maximum?: number
  knownValues?: string[]
  enum?: string[]
}
type Params = Record<string, unknown>
type Query = {
  method: KnownMethod
  cast: Cast
  properties: Record<string, Schema>
  required: readonly string[]
}

/** Wrong ones, and some that other servers gave. */
const CURSORS = ['', 'no such', '0', '-1', '1::x', '1__x', '2026-01-01T00:00:00.000Z', '9e99']
const MOST_VALUES = 5
const PAGES = 4
const SMALL_PAGE = 7

export function queriesFor(method: KnownMethod, cast: Cast): Recorded[] {
  const { parameters } = loadLexicons().getDefOrThrow(method.nsid, ['query']) as unknown as {
    parameters?: { properties?: Record<string, Schema>; required?: string[] }
  }
  const query: Query = {
    method,
    cast,
    properties: parameters?.properties ?? {},
    required: parameters?.required ?? [],
  }
  const subjects = subjectsOf(query)
  return [
    ...plain(query, subjects),
    ...varied(query, subjects),
    ...paged(query, subjects),
    ...labelled(query, subjects),
    ...wrong(query, subjects[0]!),
    ...withoutRight(query, subjects[0]!),
  ]
}

/** The methods' required parameters with values. */
function subjectsOf({ method, cast, required, properties }: Query): Params[] {
  if (method.nsid === 'com.atproto.repo.getRecord') return cast.values['record']!.map(recordOf)
  const lists = required.map((name) => valuesOf({ method, cast }, name, properties[name]!))
  const count = Math.max(1, ...lists.map(({ length }) => length))
  return Array.from({ length: count }, (_, i) =>
    Object.fromEntries(required.map((name, at) => [name, lists[at]![i % lists[at]!.length]])),
  )
}

function recordOf(uri: unknown): Params {
  const { did: repo, collection, rkey } = parseRecordUri(uri)!
  return { repo, collection, rkey }
}

function valuesOf(
  { method, cast }: Pick<Query, 'method' | 'cast'>,
  name: string,
  schema: Schema,
): readonly unknown[] {
  const known = cast.values[`${method.nsid} ${name}`] ?? cast.values[name]
  if (known) return known
  if (schema.type === 'boolean') return [true, false]
  if (schema.type === 'integer') {
    const { minimum = 0, maximum = 50 } = schema
    return [minimum, Math.min(maximum, minimum + SMALL_PAGE), maximum]
  }
  const texts = schema.knownValues ?? schema.enum ?? ['hello']
  return schema.type === 'array' ? texts.slice(0, 2).map((text) => [text]) : texts
}

function recorded(
  query: Query,
  viewer: string | undefined,
  params: Params,
  about: string,
): Recorded {
  const { nsid } = query.method
  return { method: nsid, viewer, path: `/xrpc/${nsid}${textOf(params)}`, about }
}

function textOf(params: Params): string {
  const pairs = Object.entries(params).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item): [string, string] => [name, String(item)]),
  )
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
}

function plain(query: Query, subjects: readonly Params[]): Recorded[] {
  return subjects.flatMap((params) =>
    query.cast.viewers.map((viewer) => recorded(query, viewer, params, 'subject')),
  )
}

function varied(query: Query, subjects: readonly Params[]): Recorded[] {
  const { method, cast, properties, required } = query
  const names = Object.keys(properties).filter(
    (name) => name !== 'cursor' && !required.includes(name),
  )
  return names.flatMap((name) =>
    valuesOf({ method, cast }, name, properties[name]!)
      .slice(0, MOST_VALUES)
      .flatMap((value, i) =>
        [undefined, ...cast.viewers.slice(1, 4)].map((viewer) => {
          const params = { ...subjects[i % subjects.length], ...defaultsOf(query), [name]: value }
          return recorded(query, viewer, params, `with ${name}`)
        }),
      ),
  )
}

/** What a query without required parameters needs to find something. */
function defaultsOf({ method }: Query): Params {
  return method.nsid === 'app.bsky.feed.searchPostsV2' ? { query: 'coffee' } : {}
}

function paged(query: Query, subjects: readonly Params[]): Recorded[] {
  const { cast, properties } = query
  if (!properties['cursor']) return []
  const limit = properties['limit'] ? { limit: SMALL_PAGE } : {}
  return subjects.slice(0, 3).flatMap((params) =>
    cast.viewers.map((viewer) => ({
      ...recorded(query, viewer, { ...params, ...defaultsOf(query), ...limit }, 'pages'),
      pages: PAGES,
    })),
  )
}

function labelled(query: Query, subjects: readonly Params[]): Recorded[] {
  return [`${LABELER};redact`, LABELER, `${NOBODY}`, 'nonsense'].flatMap((value) =>
    query.cast.viewers.slice(0, 2).map((viewer) => ({
      ...recorded(query, viewer, subjects[0]!, 'accepted labelers'),
      headers: { 'atproto-accept-labelers': value },
    })),
  )
}

function wrong(query: Query, params: Params): Recorded[] {
  const { cast, properties, required } = query
  const without = required.map((name) => ({ ...params, [name]: [] }))
  const bad = Object.entries(properties).flatMap(([name, { type, maximum = 100 }]) => {
    const texts = name === 'cursor' ? CURSORS : ['', 'no such', '\u0000é']
    const values = type === 'integer' ? ['x', -1, maximum + 1, '1.5', ''] : texts
    const twice = type === 'array' ? [] : [['a', 'b']]
    return [...values, ...twice].map((value) => ({ ...params, [name]: value }))
  })
  const keen = cast.viewers[1]
  const unknown = { ...params, unknown: 'parameter' }
  return [
    ...[...without, ...bad, unknown].map((item) => recorded(query, keen, item, 'wrong input')),
    { ...recorded(query, keen, params, 'wrong verb'), body: {} },
  ]
}

function withoutRight(query: Query, params: Params): Recorded[] {
  const requested = recorded(query, undefined, params, 'without a right')
  const bearers = ['Bearer nonsense', 'Basic YWRtaW46YWRtaW4=', 'Bearer ']
  return [
    ...bearers.map((authorization) => ({ ...requested, authorization })),
    { ...requested, viewer: query.cast.stranger },
    { ...requested, viewer: NOBODY },
  ]
}
