// The cost around a handler: HTTP, parameters, headers, and the check of a service JWT (ES256K, a new token
// per request). The handlers return ready bytes at once. `….baseline` is a bare Node server that writes the
// same headers and bytes.
//
// CPU is that of this thread, which serves; the client is another process.

import { createServer as createHttpServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadConfig } from '../src/base/config/config.ts'
import type { Method } from '../src/http/server/method.ts'
import { createServer } from '../src/http/server/server.ts'
import { createServiceAuth } from '../src/sources/identity/service-jwt.ts'
import { getRequest, type LoadGenerator, startLoadGenerator } from './load/load-generator.ts'
import { createViewerKey, signServiceToken } from './load/service-tokens.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'

const SERVICE_DID = 'did:web:bench.test'
const VIEWER = 'did:plc:ar7c4by46qjdydhdevvrndac'
const SIGNED = 'app.bsky.feed.getTimeline'
const OPEN = 'app.bsky.graph.getRelationships'
const PAGE_BYTES = 120_000
const PIECES = 50
const CONNECTIONS = 8

const empty = Buffer.from('{"feed":[]}')
const pieces = Array.from({ length: PIECES }, () => Buffer.alloc(PAGE_BYTES / PIECES, 'x'))

const methods: Method[] = [
  { nsid: SIGNED, kind: 'query', auth: 'required', handler: () => ({ body: empty }) },
  {
    nsid: OPEN,
    kind: 'query',
    auth: 'none',
    handler: ({ params }) => ({ body: params['actor'] === 'page.test' ? pieces : empty }),
  },
]

const limits = { memberRateLimit: 1_000_000_000, visitorRateLimit: 1_000_000_000 }

type Measure = (requests: Buffer[], port: number) => Promise<number>

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const generator = startLoadGenerator()
  const measure = createMeasure(generator, full ? 4 : 1)
  try {
    const ours = await measureOurs(measure, full ? 4_000 : 500)
    const bare = await measureBare(measure)
    return [...ours, ...bare].map(([name, value]) => ({ name, value, unit: 'µs' }))
  } finally {
    generator.stop()
  }
}

type Figures = [name: string, microseconds: number][]

async function measureOurs(measure: Measure, tokens: number): Promise<Figures> {
  const key = createViewerKey(VIEWER)
  const identity = { did: VIEWER, signingKey: key.didKey }
  const unknown = { handle: undefined, labelKey: undefined, pds: undefined, services: [], keys: [] }
  const resolver = { resolve: async () => ({ ...identity, ...unknown }) }
  const server = createServer({
    // Counted, but never exhausted.
    config: { ...loadConfig({}, '/nonexistent/.env'), port: 0, ...limits },
    methods,
    serviceAuth: createServiceAuth({ resolver, audiences: [SERVICE_DID] }),
    health: () => ({ ok: true, version: 'bench' }),
    log: { debug() {}, error: console.error, fatal: console.error },
  })
  const { port } = await server.listen()
  const claims = { aud: SERVICE_DID, lxm: SIGNED }
  const signed = Array.from({ length: tokens }, () =>
    getRequest(`/xrpc/${SIGNED}?limit=50`, signServiceToken(key, claims)),
  )
  const open = (actor: string) => [getRequest(`/xrpc/${OPEN}?actor=${actor}`, 'x'.repeat(400))]
  const figures: Figures = [
    ['http.empty.cpu_us', await measure(open('empty.test'), port)],
    ['http.page.cpu_us', await measure(open('page.test'), port)],
    ['http.signed.cpu_us', await measure(signed, port)],
  ]
  await server.close()
  return figures
}

async function measureBare(measure: Measure): Promise<Figures> {
  const page = Buffer.concat(pieces)
  const answer: RequestListener = ({ url }, response) => {
    const body = url === '/page' ? page : empty
    const headers = {
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'x-request-id': '12345678-1',
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
    }
    response.writeHead(200, headers).end(body)
  }
  const server = createHttpServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const ask = (path: string) => measure([getRequest(path, 'x'.repeat(400))], port)
  const figures: Figures = [
    ['http.empty.baseline', await ask('/empty')],
    ['http.page.baseline', await ask('/page')],
  ]
  server.closeAllConnections()
  server.close()
  return figures
}

/** @returns microseconds of this thread's CPU time per answer */
function createMeasure(generator: LoadGenerator, seconds: number): Measure {
  return async (requests, port) => {
    let before = process.threadCpuUsage()
    let spent = before
    const plan = { port, requests, connections: CONNECTIONS, warmupSeconds: seconds / 2, seconds }
    const report = await generator.run(
      { ...plan, load: { kind: 'closed' } },
      {
        onMeasuring: () => {
          before = process.threadCpuUsage()
        },
        onMeasured: () => {
          spent = process.threadCpuUsage(before)
        },
      },
    )
    if (report.refused > 0)
      throw new Error(
        `${report.refused} requests were refused, the first with ${report.firstRefusal}`,
      )
    return (spent.user + spent.system) / report.answered
  }
}
