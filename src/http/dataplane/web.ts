// What is no call of a service that we have: the search service's methods, which the frontend asks over
// HTTP where it is given SEARCH_URL; a call that is not there, refused by its name; and nothing else.

import { BadCursorError } from '../../answers/skeleton/page-cursor.ts'
import type { Incoming, Outgoing } from './listener.ts'
import type { Searches } from './search.ts'

const UNSPECCED = '/xrpc/app.bsky.unspecced.'
const CALL = /^\/([A-Za-z]+\.Service)\/([A-Za-z]+)$/
const UNIMPLEMENTED = 12

type Search = (query: URLSearchParams) => object

export function createWeb(searches: Searches): (request: Incoming, response: Outgoing) => void {
  const methods = new Map<string, Search>([
    [`${UNSPECCED}searchActorsSkeleton`, (query) => actorsSkeleton(searches, query)],
    [`${UNSPECCED}searchPostsSkeleton`, (query) => postsSkeleton(searches, query)],
    [`${UNSPECCED}searchStarterPacksSkeleton`, (query) => packsSkeleton(searches, query)],
    ['/xrpc/_health', () => ({ version: 'dataplane' })],
  ])
  return (request, response) => {
    request.resume()
    const url = new URL(request.url ?? '/', 'http://dataplane')
    const method = methods.get(url.pathname)
    if (method && request.method === 'GET') answer(response, () => method(url.searchParams))
    else refuse(request, response, CALL.exec(url.pathname))
  }
}

function answer(response: Outgoing, make: () => object): void {
  try {
    sendJson(response, 200, make())
  } catch (error) {
    if (!(error instanceof BadCursorError)) throw error
    sendJson(response, 400, { error: 'InvalidRequest', message: 'Malformed cursor' })
  }
}

function refuse(request: Incoming, response: Outgoing, call: RegExpExecArray | null): void {
  if (!call) {
    sendJson(response, 404, { error: 'NotFound', message: 'Not Found' })
    return
  }
  const message = `${call[1]}.${call[2]} is not implemented`
  const type = String(request.headers['content-type'] ?? '')
  if (type.startsWith('application/grpc')) {
    response.statusCode = 200
    response.setHeader('content-type', type)
    response.setHeader('grpc-status', String(UNIMPLEMENTED))
    response.setHeader('grpc-message', message)
    response.end('')
  } else sendJson(response, 501, { code: 'unimplemented', message })
}

function sendJson(response: Outgoing, status: number, body: object): void {
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}

function asked(query: URLSearchParams) {
  const limit = Number(query.get('limit') ?? 25)
  const cursor = query.get('cursor') ?? undefined
  return {
    q: query.get('q') ?? '',
    limit: Number.isInteger(limit) && limit > 0 ? limit : 25,
    cursor,
  }
}

function actorsSkeleton(searches: Searches, query: URLSearchParams) {
  const viewer = query.get('viewer') ?? ''
  const { dids, cursor } = searches.actors({ ...asked(query), viewer })
  return { actors: dids.map((did) => ({ did })), ...(cursor && { cursor }) }
}

/** Parameters of a search, and the words by which its text says the same. */
const CONDITIONS = {
  author: 'from',
  mentions: 'mentions',
  lang: 'lang',
  domain: 'domain',
  url: 'url',
  tag: 'tag',
} as const
const MAX_CONDITIONS = 25

function postsSkeleton(searches: Searches, query: URLSearchParams) {
  const conditions = Object.entries(CONDITIONS).flatMap(([parameter, name]) =>
    query.getAll(parameter).map((value) => ({ name, value })),
  )
  const { uris, cursor } = searches.posts({
    ...asked(query),
    sort: query.get('sort') === 'latest' ? 'latest' : 'top',
    conditions: conditions.slice(0, MAX_CONDITIONS),
    since: query.get('since') ?? undefined,
    until: query.get('until') ?? undefined,
  })
  return { posts: uris.map((uri) => ({ uri })), ...(cursor && { cursor }) }
}

function packsSkeleton(searches: Searches, query: URLSearchParams) {
  const { uris, cursor } = searches.records('app.bsky.graph.starterpack', asked(query))
  return { starterPacks: uris.map((uri) => ({ uri })), ...(cursor && { cursor }) }
}
