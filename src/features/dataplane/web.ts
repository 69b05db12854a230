// Requests that are not calls of our services: the search service's methods, which a frontend with SEARCH_URL
// calls over HTTP; and unknown calls, refused by name. Nothing else.

import { BadCursorError } from '../../answers/skeleton/page-cursor.ts'
import { ofSearchPosts } from '../../http/xrpc/search/post-search-params.ts'
import type { Searches } from './calls/search.ts'
import type { FrontendQueue } from './service.ts'
import type { Incoming, Outgoing } from './wire/listener.ts'

const UNSPECCED = '/xrpc/app.bsky.unspecced.'
const CALL = /^\/((?:[A-Za-z]\w{0,60}\.){1,9}[A-Za-z]\w{0,60})\/(\w{1,120})$/
const UNIMPLEMENTED = 12

type Make = () => object | Promise<object>
type Search = (query: URLSearchParams) => object | Promise<object>

export function createWeb(
  searches: Searches,
  overload: FrontendQueue,
): (request: Incoming, response: Outgoing) => void {
  const methods = new Map<string, Search>([
    [`${UNSPECCED}searchActorsSkeleton`, (query) => actorsSkeleton(searches, query)],
    [`${UNSPECCED}searchPostsSkeleton`, (query) => postsSkeleton(searches, query)],
    [`${UNSPECCED}searchStarterPacksSkeleton`, (query) => packsSkeleton(searches, query)],
    ['/xrpc/_health', () => ({ version: 'dataplane' })],
  ])
  return (request, response) => {
    request.resume()
    const [path = '', query] = (request.url ?? '').split('?', 2)
    const method = methods.get(path)
    if (method && request.method === 'GET') {
      const run = () => method(new URLSearchParams(query))
      const isGone = () => request.socket.destroyed
      const make = () => overload.run(overload.admitFrontend(), { run, isHeavy: false, isGone })
      void answer(response, make)
    } else refuse(request, response, CALL.exec(path))
  }
}

async function answer(response: Outgoing, make: Make): Promise<void> {
  try {
    sendJson(response, 200, await make())
  } catch (error) {
    if (error instanceof BadCursorError) {
      sendJson(response, 400, { error: 'InvalidRequest', message: 'Malformed cursor' })
    } else sendJson(response, 500, { error: 'InternalServerError', message: 'internal error' })
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

function requestOf(query: URLSearchParams) {
  const limit = Number(query.get('limit') ?? 25)
  const cursor = query.get('cursor') ?? undefined
  return {
    q: query.get('q') ?? '',
    limit: Number.isInteger(limit) && limit > 0 ? limit : 25,
    cursor,
  }
}

async function actorsSkeleton(searches: Searches, query: URLSearchParams) {
  const viewer = query.get('viewer') ?? ''
  const { dids, cursor } = await searches.actors({ ...requestOf(query), viewer })
  return { actors: dids.map((did) => ({ did })), ...(cursor && { cursor }) }
}

/** Takes the parameters of searchPosts. */
async function postsSkeleton(searches: Searches, query: URLSearchParams) {
  const run = (name: string) => query.get(name) ?? undefined
  const { q, ...page } = requestOf(query)
  const { uris, cursor } = await searches.posts(
    ofSearchPosts({
      q,
      sort: run('sort') ?? 'top',
      since: run('since'),
      until: run('until'),
      author: run('author'),
      mentions: run('mentions'),
      lang: run('lang'),
      domain: run('domain'),
      url: run('url') as `${string}:${string}`,
      tag: query.getAll('tag'),
    }),
    { ...page, viewer: run('viewer') },
  )
  return { posts: uris.map((uri) => ({ uri })), ...(cursor && { cursor }) }
}

async function packsSkeleton(searches: Searches, query: URLSearchParams) {
  const { uris, cursor } = await searches.records('app.bsky.graph.starterpack', requestOf(query))
  return { starterPacks: uris.map((uri) => ({ uri })), ...(cursor && { cursor }) }
}
