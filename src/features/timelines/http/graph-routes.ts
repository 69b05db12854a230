// The follow graph for programs: lists, counts, membership tests by the hundred, intersections of several
// lists, and the whole adjacency list. The network's graph is under /graph, programs' own graphs under
// /graphs/<name>.
//
// With `accept: application/x-ndjson` a list is sent whole, one page per line.

import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { forbidden, invalidRequest } from '../../../base/atproto/xrpc-error.ts'
import { andThen } from '../../../base/util/turn.ts'
import type { Db } from '../../../data/store/db.ts'
import { atOneMoment } from '../../../data/store/transact.ts'
import type { Overload } from '../../../http/overload/overload.ts'
import { jsonAnswer } from '../../../http/server/http-answer.ts'
import type { Connected, HttpRequest } from '../../../http/server/http-request.ts'
import type { RouteRespond } from '../../../http/server/respond.ts'
import { readActors, readAdjacency } from '../sources/graph-pages.ts'
import type { GraphSource, Side } from '../sources/graph-source.ts'
import type { Cursors } from '../sources/signed-cursor.ts'
import { type Access, type Asker, inQueue } from './access.ts'
import type { ReadNames } from './graph-names.ts'
import { type LineStreams, type Lines, NDJSON } from './ndjson.ts'
import { once, readJson } from './request-parts.ts'

type Env = { Bindings: Connected }
type Call = {
  request: HttpRequest
  asker: Asker
  source: GraphSource
  query: URLSearchParams
  body: () => Promise<unknown>
}

export type GraphReading = {
  db: Db
  cursors: Cursors
  access: Access
  overload: Pick<Overload, 'run'>
  respond: RouteRespond
  lines: LineStreams
}

/** The graph that a request is about, and its name in scopes. */
type WhichGraph = {
  path: string
  scopeOf(c: Context<Env>): string
  /** @throws XRPCError 404 */
  open(c: Context<Env>): GraphSource
  /** Unset: callers write names as the graph has them. */
  readNames?: ReadNames
}

export const MAX_SETS = 8
export const MAX_PAIRS = 500
export const MAX_COUNTED = 100
export const MAX_LIMIT = 1_000
const DEFAULT_LIMIT = 100
const SET = /^(follows|followers):(.+)$/
const SET_KIND = /^(?:follows|followers):/

const pairsSchema = pairsOf(z.string())

/** @param account - schema of the graph's account names */
export function pairsOf(account: z.ZodString) {
  return z.object({ pairs: pairList(account) }).strict()
}

export function pairList(account: z.ZodString) {
  return z.array(z.array(account).length(2)).max(MAX_PAIRS)
}

export function addGraphRoutes(app: Hono<Env>, parts: GraphReading, which: WhichGraph): void {
  const { path } = which
  const on = (answer: (call: Call) => unknown) => answering(parts, which, answer)
  const sidesOf = {
    follows: ({ source, query }: Call) => [
      sideOf(source, 'follows', once('actor', query.getAll('actor'))),
    ],
    followers: ({ source, query }: Call) => [
      sideOf(source, 'followers', once('actor', query.getAll('actor'))),
    ],
    intersection: ({ source, query }: Call) => readSets(source, query.getAll('set')),
  }
  for (const [name, sides] of Object.entries(sidesOf)) {
    app.get(`${path}/${name}`, (c) =>
      wantsLines(c)
        ? streaming(parts, which, c, allPages(parts, sides))
        : on(onePage(parts, sides))(c),
    )
  }
  app.get(`${path}/adjacency`, (c) => streaming(parts, which, c, adjacency(parts)))
  app.get(
    `${path}/counts`,
    on(({ source, query }) => counts(source, query.getAll('actor'))),
  )
  app.post(
    `${path}/contains`,
    on(({ source, body }) => andThen(body(), (pairs) => contains(source, pairs))),
  )
}

type SidesOf = (call: Call) => Side[]
type ReadLines = (call: Call) => (cursor: string | undefined) => Lines

function onePage({ db, cursors }: GraphReading, sidesOf: SidesOf) {
  const read = (call: Call) => {
    const cursor = once('cursor', call.query.getAll('cursor'))
    const limit = readLimit(once('limit', call.query.getAll('limit')))
    return readActors(call.source, sidesOf(call), { cursors, cursor, limit })
  }
  const readRows = atOneMoment(db, read)
  return (call: Call) => (call.source.isInRows ? readRows(call) : read(call))
}

/** Streams all pages, one per line. */
function allPages({ db, cursors }: GraphReading, sidesOf: SidesOf): ReadLines {
  return (call) => {
    const sides = sidesOf(call)
    return atOneMoment(db, (cursor: string | undefined) => {
      const page = readActors(call.source, sides, { cursors, cursor, limit: MAX_LIMIT })
      return { lines: [page], next: page.next_cursor ?? undefined }
    })
  }
}

function adjacency({ db, cursors }: GraphReading): ReadLines {
  return ({ source }) =>
    atOneMoment(db, (cursor: string | undefined) => readAdjacency(source, cursors, cursor))
}

function wantsLines(c: Context<Env>): boolean {
  return (c.req.header('accept') ?? '').includes(NDJSON)
}

/** @throws XRPCError 401, 403 or 404 */
async function readCall(
  { access }: GraphReading,
  { scopeOf, open, readNames }: WhichGraph,
  c: Context<Env>,
  request: Parameters<Access>[0],
): Promise<Call> {
  const asker = await access(request)
  const scope = scopeOf(c)
  if (!asker.may('graph', scope)) {
    throw forbidden(`This token lacks the scope graph:${scope}`, 'OutOfScope')
  }
  const call = {
    request,
    asker,
    source: open(c),
    query: new URLSearchParams(request.search),
    body: () => readJson(request),
  }
  return readNames ? withNames(call, readNames) : call
}

async function withNames(call: Call, readNames: ReadNames): Promise<Call> {
  const { caller } = call.asker
  const query = new URLSearchParams(call.query)
  for (const name of ['actor', 'set']) {
    const given = call.query.getAll(name).slice(0, MAX_COUNTED + 1)
    const kinds = given.map((text) => (name === 'set' ? (SET_KIND.exec(text)?.[0] ?? '') : ''))
    const names = given.map((text, i) => text.slice(kinds[i]!.length))
    const read = await readNames(names, caller)
    query.delete(name)
    for (const [i, value] of read.entries()) query.append(name, `${kinds[i]}${value}`)
  }
  const body = async () => {
    const parsed = pairsSchema.safeParse(await call.body())
    if (!parsed.success) throw unfitPairs()
    const read = await readNames(parsed.data.pairs.flat(), caller)
    return { pairs: parsed.data.pairs.map((_, i) => read.slice(2 * i, 2 * i + 2)) }
  }
  return { ...call, query, body }
}

function unfitPairs() {
  return invalidRequest(`pairs: up to ${MAX_PAIRS} of [follower, followed]`)
}

function answering(parts: GraphReading, which: WhichGraph, answer: (call: Call) => unknown) {
  return (c: Context<Env>) =>
    parts.respond(c, async (request) => {
      const call = await readCall(parts, which, c, request)
      return inQueue(parts, call, { run: () => andThen(answer(call), jsonAnswer), isHeavy: true })
    })
}

/** Writes the response by hand unless the request is refused. */
async function streaming(
  parts: GraphReading,
  which: WhichGraph,
  c: Context<Env>,
  read: ReadLines,
): Promise<Response> {
  const response = c.env?.outgoing
  let isSent = false
  const refusal = await parts.respond(c, async (request) => {
    const call = await readCall(parts, which, c, request)
    if (request.method === 'HEAD') {
      return { status: 200, body: null, headers: { 'content-type': NDJSON } }
    }
    if (!response || response.destroyed) throw invalidRequest('Streams need a connection')
    const cursor = once('cursor', call.query.getAll('cursor'))
    const { asker } = call
    await inQueue(parts, call, {
      run: () => parts.lines.send(response as ServerResponse, { read: read(call), asker }, cursor),
      isHeavy: true,
    })
    isSent = true
    return jsonAnswer({})
  })
  return isSent ? RESPONSE_ALREADY_SENT : refusal
}

function counts(source: GraphSource, names: readonly string[]) {
  if (names.length === 0 || names.length > MAX_COUNTED) {
    throw invalidRequest(`actor: give 1 to ${MAX_COUNTED}`)
  }
  return {
    counts: names.map((actor) => {
      const id = idOf(source, actor)
      const size = (of: Side['of']) => source.size({ of, id })
      return { actor, follows: size('follows'), followers: size('followers') }
    }),
  }
}

function contains(source: GraphSource, body: unknown) {
  const parsed = pairsSchema.safeParse(body)
  if (!parsed.success) throw unfitPairs()
  return {
    results: parsed.data.pairs.map(([creator, subject]) =>
      source.has(idOf(source, creator!), idOf(source, subject!)),
    ),
  }
}

function readSets(source: GraphSource, sets: readonly string[]): Side[] {
  if (sets.length < 2 || sets.length > MAX_SETS) {
    throw invalidRequest(`set: give 2 to ${MAX_SETS}`)
  }
  return sets.map((text) => {
    const match = SET.exec(text)
    if (!match) throw invalidRequest('set: follows:<account> or followers:<account>')
    return sideOf(source, match[1] as Side['of'], match[2]!)
  })
}

function sideOf(source: GraphSource, of: Side['of'], name: string | undefined): Side {
  return { of, id: idOf(source, name) }
}

function idOf(source: GraphSource, name: string | undefined): number {
  if (name === undefined || !source.isName(name)) {
    throw invalidRequest(`actor: ${source.accountsAre}`)
  }
  return source.idOf(name)
}

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_LIMIT : Number(text)
  if (/^\d{1,4}$/.test(text ?? '1') && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw invalidRequest(`limit: a whole number from 1 to ${MAX_LIMIT}`)
}
