// The HTTP routes of the timelines service: see docs/TIMELINES.md, and /v1/openapi.json for machines.

import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { getQueryParams } from 'hono/utils/url'
import { invalidRequest, XRPCError } from '../../../base/atproto/xrpc-error.ts'
import { andThen, inTurns } from '../../../base/util/turn.ts'
import type { ActorReader } from '../../../data/graph/types.ts'
import type { Db } from '../../../data/store/db.ts'
import type { Overload } from '../../../http/overload/overload.ts'
import type { DirectRoute } from '../../../http/server/direct-routes.ts'
import { type Answer, jsonAnswer } from '../../../http/server/http-answer.ts'
import type { Connected, HttpRequest } from '../../../http/server/http-request.ts'
import type { Needs } from '../../../http/xrpc/define.ts'
import type { TimelineWriter } from '../requests.ts'
import { type PageJson, pageBytes } from '../sources/event-json.ts'
import type { GraphSource } from '../sources/graph-source.ts'
import type { Position } from '../sources/signed-cursor.ts'
import { parseTimelineKey, type TimelineKey } from '../sources/timeline-key.ts'
import type { Timelines } from '../sources/timelines.ts'
import { checkMay, inQueue } from './access.ts'
import type { Call, Handler } from './call.ts'
import { getCursor, putCursor } from './cursor-routes.ts'
import { addCustomGraphRoutes, type CustomGraphContext } from './graph-edit-routes.ts'
import { readNamesByDid } from './graph-names.ts'
import { addGraphRoutes } from './graph-routes.ts'
import { parsePost } from './post-body.ts'
import { type Poster, postedFields } from './poster.ts'
import { readKey } from './read-key.ts'
import { once, readJsonText } from './request-parts.ts'
import type { Followed, UpToDate } from './shared-by-nodes.ts'
import { STREAM_TYPE, type Streams } from './streams.ts'

type RouteContext = Omit<CustomGraphContext, 'cursors'> & {
  network: GraphSource
  db: Db
  overload: Pick<Overload, 'run'>
  timelines: Timelines
  poster: Poster
  streams: Streams
  actors: Pick<ActorReader, 'uidOf'>
  names: Needs<'names'>['names']
  ingest: Pick<TimelineWriter, 'storeCursor' | 'editGraph'>
  /** Programs' timelines, if several nodes share them. */
  shared?: Followed | undefined
  /** Members’ timelines, if several nodes share them. */
  following?: UpToDate | undefined
}

type Env = { Bindings: Connected }

export const DEFAULT_LIMIT = 25
export const MAX_LIMIT = 100
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }
export const SEQUENCE = /^(0|[1-9]\d{0,15})$/

export function createTimelineRoutes(context: RouteContext): Hono<Env> {
  const app = new Hono<Env>()
  const document = readFileSync(new URL('./openapi.json', import.meta.url))
  app.get('/openapi.json', (c) =>
    context.respond(c, () => ({ status: 200, body: document, headers: JSON_HEADERS })),
  )
  const on = (handler: Handler) => answering(context, handler)
  app.get('/timelines/:key/events', on(getEvents(context)))
  app.post('/timelines/:key/events', on(postEvent(context)))
  app.get('/timelines/:key/stream', (c) => stream(context, c))
  const { cursors } = context.timelines
  const ofCursors = { ...context, cursors, upToDate: async () => context.shared?.upToDate([]) }
  app.get('/timelines/:key/cursor', on(getCursor(ofCursors)))
  app.put('/timelines/:key/cursor', on(putCursor(ofCursors)))
  const ofGraphs = { ...context, cursors }
  const network = {
    path: '/graph',
    scopeOf: () => 'read',
    open: () => context.network,
    readNames: readNamesByDid(context),
  }
  addGraphRoutes(app, ofGraphs, network)
  addCustomGraphRoutes(app, ofGraphs)
  refuseOtherMethods(app, context)
  return app
}

/** Answers 405 to other methods on existing paths. */
function refuseOtherMethods(app: Hono<Env>, { respond }: Pick<RouteContext, 'respond'>): void {
  const taken = Map.groupBy(app.routes, ({ path }) => path)
  for (const [path, routes] of taken) {
    const allow = routes.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ')
    app.all(path, (c) =>
      respond(c, () => {
        const message = `${c.req.method} is not allowed here: ${allow}`
        throw new XRPCError(405, 'MethodNotAllowed', message, { headers: { allow } })
      }),
    )
  }
}

/** The usual spelling of an events path; the router handles all others. */
const EVENTS = /^\/v1\/timelines\/([a-z][A-Za-z0-9._:%+~@-]*)\/events$/

/** Answers pages and posts, which are most requests, without the router. */
export function createEventsRoute(context: RouteContext): DirectRoute['answering'] {
  const handlers: Record<string, Handler> = { GET: getEvents(context), POST: postEvent(context) }
  return (request) => {
    const handler = handlers[request.method]
    const key = handler && decoded(EVENTS.exec(request.path)?.[1])
    if (key === undefined || request.search.includes('#')) return undefined
    return async () => handled(context, handler!, await readCall(context, request, key))
  }
}

function decoded(text: string | undefined): string | undefined {
  if (!text?.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Authenticates the caller before parsing the key. */
async function readCall(
  context: RouteContext,
  request: HttpRequest,
  written: string,
): Promise<Call> {
  const asker = await context.access(request)
  request.clock?.mark('token')
  const key = await readKey(context, written, asker.caller)
  return { request, asker, key, keys: parseTimelineKey(key, asker.isMember) }
}

/**
 * Parses the query as the router would; its parser looks for the question mark after the scheme.
 */
function queryOf({ search }: HttpRequest) {
  const given = getQueryParams(`http://localhost/?${search}`) as Record<string, string[]>
  const { limit, cursor, direction, since } = given
  return {
    limit: once('limit', limit),
    cursor: once('cursor', cursor),
    direction: once('direction', direction),
    since: once('since', since),
  }
}

function answering(context: RouteContext, handler: Handler) {
  return (c: Context<Env>) =>
    context.respond(c, async (request) =>
      handled(context, handler, await readCall(context, request, c.req.param('key') ?? '')),
    )
}

/** A merge reads up to 16 timelines. */
function handled(context: RouteContext, handler: Handler, call: Call): Promise<Answer> | Answer {
  return inQueue(context, call, { run: () => handler(call), isHeavy: call.keys.length > 1 })
}

function getEvents(context: RouteContext): Handler {
  const { timelines } = context
  return async ({ request, asker, keys, key }) => {
    checkMay(asker, 'read', keys)
    const { limit, cursor, direction, since } = queryOf(request)
    const isNewest = cursor === undefined && since === undefined && direction !== 'forward'
    const isUpToDate = await upToDate(context, keys, isNewest)
    const { clock } = request
    clock?.mark('wait')
    const read = () =>
      timelines.page({
        key,
        limit: readLimit(limit),
        cursor,
        direction: readDirection(direction),
        since: readSequence(since, 'since'),
        isForOwner: asker.isMember,
      })
    const answer = (page: PageJson): Answer => {
      const body = pageBytes(page)
      clock?.mark('handler')
      if (!isUpToDate || page.skipped.length > 0) request.behind = 'engine'
      return { status: 200, body, headers: JSON_HEADERS, isSentOnce: true }
    }
    const prepare = () => inTurns(timelines.prepare(keys))
    return asker.caller.time.goOn(() =>
      andThen(prepare(), () => andThen(clock ? clock.handled(read) : read(), answer)),
    )
  }
}

/**
 * @param isNewest - whether the page is read from the newest event
 * @returns whether this node has caught up with the other nodes
 */
async function upToDate(
  { shared, following }: RouteContext,
  keys: readonly TimelineKey[],
  isNewest: boolean,
): Promise<boolean> {
  const [custom, members] = [namesOf(keys, 'custom'), isNewest ? namesOf(keys, 'following') : []]
  const done = await Promise.all([shared?.upToDate(custom), following?.upToDate(members)])
  return !done.includes(false)
}

function namesOf(keys: readonly TimelineKey[], wanted: TimelineKey['kind']): string[] {
  return keys.flatMap(({ kind, name }) => (kind === wanted ? name : []))
}

function postEvent({ poster, shared }: RouteContext): Handler {
  return async ({ request, asker, keys }) => {
    const [key] = keys
    if (keys.length > 1 || key?.kind !== 'custom') {
      throw invalidRequest(
        'Only custom:<name> takes posts: other timelines derive from the network',
      )
    }
    checkMay(asker, 'post', keys)
    const text = await readJsonText(request)
    const post = parsePost(text, { name: key.name, reader: asker.name })
    if (shared && post.numbered) {
      throw invalidRequest('producer_seq: not if several nodes share timelines', 'NotShared')
    }
    const posted = await poster.post(post)
    request.clock?.mark('wait')
    return jsonAnswer(postedFields(post, posted))
  }
}

/** Writes the response by hand unless the request is refused. */
async function stream(context: RouteContext, c: Context<Env>): Promise<Response> {
  const { timelines, streams, respond, shared } = context
  const response = c.env?.outgoing
  let isRefused = true
  const refusal = await respond(c, async (request) => {
    const { asker, keys, key } = await readCall(context, request, c.req.param('key') ?? '')
    checkMay(asker, 'read', keys)
    await upToDate(context, keys, isFromNowOn(request))
    const from = readPosition(timelines, { key, keys, request })
    await asker.caller.time.run(() => inTurns(timelines.prepare(keys)))
    const sources = timelines.sources(keys)
    if (request.method === 'HEAD') return { status: 200, body: null, headers: STREAM_TYPE }
    if (!response) throw invalidRequest('Streams need a connection')
    if (response.destroyed) throw invalidRequest('The client has disconnected')
    streams.listen({ keys, sources, from, asker }, response as ServerResponse)
    const leave = shared?.follow(namesOf(keys, 'custom'))
    if (leave) response.once('close', leave)
    isRefused = false
    return jsonAnswer({})
  })
  return isRefused ? refusal : RESPONSE_ALREADY_SENT
}

function isFromNowOn(request: HttpRequest): boolean {
  const { cursor, since } = queryOf(request)
  return !request.header('last-event-id') && cursor === undefined && since === undefined
}

type ListPosition = Omit<Position, 'isForward'>

/**
 * `Last-Event-ID` takes precedence: a reconnecting browser sends it, with the URL of its first
 * request.
 */
function readPosition(
  { cursors }: Timelines,
  { key, keys, request }: Omit<Call, 'asker'>,
): ListPosition | undefined {
  const last = request.header('last-event-id') || undefined
  if (last !== undefined) return positionOf(cursors, { key, keys, text: last })
  const { cursor, since } = queryOf(request)
  if (cursor !== undefined && since !== undefined) {
    throw invalidRequest('Give either a cursor or since, not both')
  }
  const text = cursor ?? since
  return text === undefined ? undefined : positionOf(cursors, { key, keys, text })
}

function positionOf(
  cursors: Timelines['cursors'],
  { key, keys, text }: { key: string; keys: TimelineKey[]; text: string },
): ListPosition {
  if (keys.length === 1 && SEQUENCE.test(text)) return { at: [Number(text)] }
  const { isForward, ...position } = cursors.read(key, text)
  if (!isForward) throw invalidRequest('A stream reads forward: this cursor reads backward')
  return position
}

function readLimit(text: string | undefined): number {
  const limit = text === undefined ? DEFAULT_LIMIT : Number(text)
  if (/^\d{1,4}$/.test(text ?? '1') && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw invalidRequest(`limit: a whole number from 1 to ${MAX_LIMIT}`)
}

function readDirection(text: string | undefined): 'forward' | 'backward' | undefined {
  if (text === undefined || text === 'forward' || text === 'backward') return text
  throw invalidRequest('direction: forward or backward')
}

function readSequence(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined
  if (SEQUENCE.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  throw invalidRequest(`${name}: a sequence_id, e.g. 1024`)
}
