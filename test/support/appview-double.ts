// A public AppView over real HTTP. It answers as configured, or like the world behind it (the whole server of
// serving-world.ts, without a viewer), and misbehaves on demand. It records the requests.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Query = Record<string, string | string[]>
/** A body; or a status with an optional body. */
type Report = object | { status: number; body?: unknown }
type Sayer = (query: Query) => Report | Promise<Report>

export type RequestOptions = { nsid: string; query: Query; headers: IncomingMessage['headers'] }

export type Misbehaviour =
  | { status: number; headers?: Record<string, string> }
  | { redirect: string }
  | { text: string }
  | 'hang'
  | 'hang-up'
  | 'endless'

export type AppviewDouble = Awaited<ReturnType<typeof startAppviewDouble>>

/** `double.answer(nsid, (params) => body)` sets its answers. */
export async function startAppviewDouble() {
  const requested: RequestOptions[] = []
  const sayers = new Map<string, Sayer>()
  let behind: ((request: Request) => Promise<Response> | Response) | undefined
  let bad: Misbehaviour | undefined
  let lagMs = 0
  let limit: Allowance | undefined

  const server = createServer((request, response) => {
    void respond(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin)
    const nsid = url.pathname.replace('/xrpc/', '')
    const query = toQuery(url.searchParams)
    requested.push({ nsid, query, headers: request.headers })
    if (lagMs > 0) await new Promise((resolve) => setTimeout(resolve, lagMs))
    if (limit && !take(limit, response)) return misbehave(response, { status: 429 })
    if (bad) return misbehave(response, bad)
    const sayer = sayers.get(nsid)
    if (sayer) return say(response, await sayer(query))
    const answer = await behind?.(new Request(url, { headers: plain(request.headers) }))
    say(response, answer ? { status: answer.status, body: await answer.json() } : { status: 501 })
  }

  return {
    origin,
    asked: requested,
    answer: (nsid: string, says: Sayer | object) =>
      void sayers.set(nsid, typeof says === 'function' ? (says as Sayer) : () => says),
    /** Answers like this server to methods without a configured answer. */
    standFor(server: { fetch(request: Request): Promise<Response> | Response }) {
      behind = (request) => server.fetch(request)
    },
    misbehave(how: Misbehaviour | undefined) {
      bad = how
    },
    lag(milliseconds: number) {
      lagMs = milliseconds
    },
    /** Allows so many requests from now on, as in one window of five minutes. */
    allow(requests: number) {
      limit = { requests, used: 0 }
    },
    askedFor: (nsid: string) =>
      requested.filter((request) => request.nsid === nsid).map(({ query }) => query),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Allowance = { requests: number; used: number }

/** @returns false if none is left */
function take(limit: Allowance, response: ServerResponse): boolean {
  limit.used++
  const left = Math.max(0, limit.requests - limit.used)
  for (const [name, value] of Object.entries(limitHeaders(limit.requests, left))) {
    response.setHeader(name, value)
  }
  return limit.used <= limit.requests
}

/** As a PDS and Bluesky's AppView send them. */
function limitHeaders(requests: number, left: number): Record<string, string> {
  return {
    'ratelimit-limit': String(requests),
    'ratelimit-remaining': String(left),
    'ratelimit-reset': String(Math.floor(Date.now() / 1000) + 300),
    'ratelimit-policy': `${requests};w=300`,
  }
}

function say(response: ServerResponse, reported: Report): void {
  const { status, body } =
    'status' in reported
      ? (reported as { status: number; body?: unknown })
      : { status: 200, body: reported }
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body ?? { error: 'Error', message: 'no' }))
}

function misbehave(response: ServerResponse, how: Misbehaviour): void {
  if (how === 'hang') return
  if (how === 'hang-up') return void response.destroy()
  if (how === 'endless') return endless(response)
  if ('redirect' in how) return void response.writeHead(302, { location: how.redirect }).end()
  if ('text' in how) {
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(how.text)
  }
  response.writeHead(how.status, { 'content-type': 'application/json', ...how.headers })
  response.end('{"error":"Error","message":"no"}')
}

function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = Buffer.alloc(1 << 16, ' ')
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}

function toQuery(given: URLSearchParams): Query {
  return Object.fromEntries(
    [...new Set(given.keys())].map((name) => {
      const all = given.getAll(name)
      return [name, all.length > 1 ? all : all[0]!]
    }),
  )
}

function plain(headers: IncomingMessage['headers']): Record<string, string> {
  const labelers = headers['atproto-accept-labelers']
  return typeof labelers === 'string' ? { 'atproto-accept-labelers': labelers } : {}
}
