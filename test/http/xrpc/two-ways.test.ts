// Queries over a socket bypass the platform's Request and Response, which `fetch` takes. Every request must
// get the same status, headers and body both ways.

import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { XRPCError } from '../../../src/base/atproto/xrpc-error.ts'
import { loadConfig } from '../../../src/base/config/config.ts'
import type { Method } from '../../../src/http/server/method.ts'
import { createServer, type Server } from '../../../src/http/server/server.ts'
import { trustingAuth } from '../../support/trusting-auth.ts'

const PROFILE = '/xrpc/app.bsky.actor.getProfile'
const TIMELINE = '/xrpc/app.bsky.feed.getTimeline'
const VIEWER = 'did:plc:ar7c4by46qjdydhdevvrndac'
const long = JSON.stringify({ feed: [], pad: 'ä b c '.repeat(20_000) })

/** The requested actor selects the body of the answer. */
const bodies: Record<string, unknown> = {
  'value.test': { handle: 'value.test', pad: 'é' },
  'nothing.test': undefined,
  'bytes.test': Buffer.from(long),
  'pieces.test': [long.slice(0, 7), '', long.slice(7, 5000), long.slice(5000)].map((text) =>
    Buffer.from(text),
  ),
  'many.test': Array.from(Buffer.from(long.slice(0, 3000)), (byte) => Buffer.from([byte])),
}

const methods: Method[] = [
  {
    nsid: 'app.bsky.actor.getProfile',
    kind: 'query',
    auth: 'optional',
    handler: async ({ params, viewer, labelers }) => {
      const actor = params['actor'] as string
      if (actor === 'refused.test') throw new XRPCError(400, 'InvalidRequest', 'no such thing')
      if (actor === 'broken.test') throw new Error('secret')
      if (actor === 'echo.test') return { body: { params, viewer, dids: labelers?.dids } }
      return { body: bodies[actor], headers: { 'atproto-repo-rev': '3k2yihcrp6f2c' } }
    },
  },
  {
    nsid: 'app.bsky.feed.getTimeline',
    kind: 'query',
    auth: 'required',
    handler: ({ params }) => ({ body: { feed: [], params } }),
  },
]

let server: Server
let port: number

beforeAll(async () => {
  server = createServer({
    config: {
      ...loadConfig({}, '/nowhere/.env'),
      port: 0,
      // Rate limits apply only to requests over a socket.
      visitorRateLimit: 0,
      memberRateLimit: 0,
    },
    methods,
    serviceAuth: trustingAuth,
    health: () => ({ ok: true, version: '1' }),
    log: { debug() {}, error() {}, fatal() {} } as never,
  })
  port = (await server.listen()).port
})
afterAll(() => server.close())

type RequestOptions = { method?: string; headers?: Record<string, string> }
type Got = { status: number; headers: Record<string, unknown>; body: string }

function overSocket(path: string, { method = 'GET', headers }: RequestOptions): Promise<Got> {
  const { promise, resolve, reject } = Promise.withResolvers<Got>()
  const requested = httpRequest(
    { host: '127.0.0.1', port, path, method, headers },
    async (answer) => {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk)
      const body = Buffer.concat(chunks).toString('latin1')
      resolve({ status: answer.statusCode!, headers: comparable(answer.headers), body })
    },
  )
  requested.on('error', reject)
  requested.end()
  return promise
}

async function byFetch(path: string, requested: RequestOptions): Promise<Got> {
  const answer = await server.fetch(new Request(`http://127.0.0.1:${port}${path}`, requested))
  const body = Buffer.from(await answer.arrayBuffer()).toString('latin1')
  const headers = comparable(Object.fromEntries(answer.headers))
  return { status: answer.status, headers, body }
}

/** Drops headers that belong to the connection or to one answer only. */
function comparable(headers: Record<string, unknown>): Record<string, unknown> {
  const { connection, date, 'keep-alive': keepAlive, 'x-request-id': requestId, ...rest } = headers
  expect(requestId).toMatch(/^[0-9a-f]{8}-/)
  return rest
}

const bearer = { authorization: `Bearer ${VIEWER}` }
const cases: [string, RequestOptions][] = [
  ...Object.keys(bodies).map((actor): [string, RequestOptions] => [
    `${PROFILE}?actor=${actor}`,
    {},
  ]),
  ...['gzip', 'br', 'zstd', 'identity;q=1,gzip;q=0.3'].flatMap(
    (encoding): [string, RequestOptions][] => [
      [`${PROFILE}?actor=pieces.test`, { headers: { 'accept-encoding': encoding } }],
      [`${PROFILE}?actor=bytes.test`, { headers: { 'accept-encoding': encoding } }],
    ],
  ),
  [`${PROFILE}?actor=pieces.test`, { method: 'HEAD' }],
  [`${PROFILE}?actor=pieces.test`, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } }],
  [`${PROFILE}?actor=value.test`, { method: 'HEAD' }],
  [`${PROFILE}?actor=refused.test`, {}],
  [`${PROFILE}?actor=refused.test`, { method: 'HEAD' }],
  [`${PROFILE}?actor=broken.test`, {}],
  [PROFILE, {}],
  [`${PROFILE}?`, {}],
  [`${PROFILE}?actor=no+handle`, {}],
  [`${PROFILE}?actor=echo.test`, { headers: bearer }],
  [`${PROFILE}?actor=echo.test&actor=echo.test`, {}],
  [`${PROFILE}?actor=%65cho.test&x=%00&y=%ff&z=a?b`, {}],
  [`${PROFILE}?actor=echo.test`, { headers: { 'atproto-accept-labelers': `${VIEWER};redact` } }],
  [`${PROFILE}?actor=echo.test`, { headers: { 'atproto-accept-labelers': '' } }],
  [`${PROFILE}/?actor=echo.test`, {}],
  [`/xrpc/app.bsky.actor.get%50rofile?actor=echo.test`, {}],
  [TIMELINE, {}],
  [TIMELINE, { headers: bearer }],
  [TIMELINE, { headers: { authorization: 'bearer  x ' } }],
  [`${TIMELINE}?limit=7`, { headers: bearer }],
  [`${TIMELINE}?limit=x`, { headers: bearer }],
  [TIMELINE, { headers: bearer, method: 'POST' }],
  [TIMELINE, { headers: bearer, method: 'DELETE' }],
  ['/xrpc/com.example.unknown', {}],
  ['/xrpc/__proto__', {}],
  ['/xrpc/', {}],
  ['/xrpc/_health', {}],
  ['/xrpc/_health', { method: 'HEAD' }],
  ['/', {}],
  ['/nothing?x', {}],
]

test.each(cases)('%s %o', async (path, requested) => {
  const [socket, platform] = await Promise.all([
    overSocket(path, requested),
    byFetch(path, requested),
  ])
  expect(socket).toEqual(platform)
})

test('chunks arrive complete and in order, one answer after another on one connection', async () => {
  const paths = [
    'pieces.test',
    'many.test',
    'value.test',
    'many.test',
    'bytes.test',
    'nothing.test',
  ]
  const received = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
    const last = paths.length - 1
    for (const [i, actor] of paths.entries()) {
      const end = i === last ? 'connection: close\r\n' : ''
      socket.write(`GET ${PROFILE}?actor=${actor} HTTP/1.1\r\nhost: a\r\n${end}\r\n`)
    }
  })
  let rest = received
  for (const actor of paths) {
    const length = Number(/content-length: (\d+)/.exec(rest)![1])
    const start = rest.indexOf('\r\n\r\n') + 4
    const body = Buffer.from(rest.slice(start, start + length), 'latin1').toString()
    const expected = bodies[actor]
    const bytes = Array.isArray(expected) ? Buffer.concat(expected) : expected
    expect(body).toBe(
      Buffer.isBuffer(bytes) ? bytes.toString() : bytes ? JSON.stringify(bytes) : '',
    )
    rest = rest.slice(start + length)
  }
  expect(rest).toBe('')
})
