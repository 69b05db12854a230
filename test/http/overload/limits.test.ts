// Limits over real sockets: which client pays for a request, what answers say about it, and that a flood does
// not affect other clients. The bearer token is the viewer's DID itself; one that begins with `forged` is
// invalid.

import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { loadLexicons } from '../../../src/base/atproto/lexicons/lexicons.ts'
import { forbidden } from '../../../src/base/atproto/xrpc-error.ts'
import { type Config, loadConfig } from '../../../src/base/config/config.ts'
import { andThen } from '../../../src/base/util/turn.ts'
import { createOverload } from '../../../src/http/overload/overload.ts'
import { createRateBuffers } from '../../../src/http/overload/rate-limits.ts'
import type { Method } from '../../../src/http/server/method.ts'
import { createServer, type Server } from '../../../src/http/server/server.ts'
import { ServiceAuthError } from '../../../src/sources/identity/service-jwt.ts'
import { trustingAuth } from '../../support/trusting-auth.ts'

const TIMELINE = 'app.bsky.feed.getTimeline'
const PROFILE = 'app.bsky.actor.getProfile'
const SEARCH = 'app.bsky.actor.searchActors'
const MUTE = 'app.bsky.graph.muteActor'
const ALICE = 'did:plc:aliceaaaaaaaaaaaaaaaaaaa'
const BOB = 'did:plc:bobbbbbbbbbbbbbbbbbbbbbb'
const STRANGER = 'did:plc:strangerrrrrrrrrrrrrrrrr'

const servers: Server[] = []
const agents: Agent[] = []
const sockets: Socket[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const agent of agents.splice(0)) agent.destroy()
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

let clockMs = 0

type Handler = Method['handler']
type Changes = Partial<Parameters<typeof createServer>[0]> & {
  settings?: Partial<Config>
  handler?: Handler
}

function serve({ settings = {}, handler = () => ({ body: { feed: [] } }), ...changes }: Changes) {
  const config = { ...loadConfig({}, '/nowhere/.env'), port: 0, ...settings }
  const methods: Method[] = [
    { nsid: TIMELINE, kind: 'query', auth: 'required', handler },
    { nsid: PROFILE, kind: 'query', auth: 'optional', handler },
    { nsid: SEARCH, kind: 'query', auth: 'optional', handler },
    { nsid: MUTE, kind: 'procedure', auth: 'required', handler: () => ({ body: undefined }) },
  ]
  const server = createServer({
    config,
    // Calls take no time but what a test says.
    overload: createOverload({ config, buffers: createRateBuffers(), clock: () => clockMs }),
    methods,
    serviceAuth: {
      verify: async (token, ...rest) => {
        if (token.startsWith('forged')) throw new ServiceAuthError('BadJwtSignature', 'forged')
        return trustingAuth.verify(token, ...rest)
      },
    },
    onViewer: (did) => {
      if (did === STRANGER) throw forbidden('no', 'NotAMember')
    },
    health: () => ({ ok: true, version: '1' }),
    log: { debug() {}, error() {}, fatal() {} },
    ...changes,
  })
  servers.push(server)
  return server
}

type Got = { status: number; headers: IncomingMessage['headers']; body: string }
type RequestOptions = { as?: string; from?: string; input?: unknown }

async function listening(changes: Changes) {
  const server = serve(changes)
  const { port } = await server.listen()
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 1_000 })
  agents.push(agent)

  function ask(nsid: string, { as, from, input }: RequestOptions = {}): Promise<Got> {
    const { promise, resolve, reject } = Promise.withResolvers<Got>()
    const headers = {
      ...(as && { authorization: `Bearer ${as}` }),
      ...(from && { 'x-forwarded-for': from }),
      ...(input !== undefined && { 'content-type': 'application/json' }),
    }
    const path = nsid.startsWith('/') ? nsid : `/xrpc/${nsid}?actor=a.test&q=a`
    const method = input === undefined ? 'GET' : 'POST'
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent })
    request.on('response', async (answer) => {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk)
      const body = Buffer.concat(chunks).toString()
      resolve({ status: answer.statusCode!, headers: answer.headers, body })
    })
    request.on('error', reject)
    request.end(input === undefined ? undefined : JSON.stringify(input))
    return promise
  }

  function open(): Socket {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    sockets.push(socket)
    return socket
  }

  return { server, port, ask, open }
}

const left = ({ headers }: Got) => Number(headers['ratelimit-remaining'])

describe('points', () => {
  test('answers state the remaining points, like a PDS, also to scripts in a browser', async () => {
    const { ask } = await listening({ settings: { visitorRateLimit: 10 } })
    const { status, headers } = await ask(PROFILE)
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'ratelimit-limit': '10',
      'ratelimit-remaining': '9',
      'ratelimit-policy': '10;w=300',
    })
    const reset = Number(headers['ratelimit-reset'])
    expect(reset).toBeGreaterThan(Date.now() / 1000 - 1)
    expect(reset).toBeLessThanOrEqual(Date.now() / 1000 + 300)
    expect(headers['access-control-expose-headers']).toContain('RateLimit-Remaining')
    expect(headers['retry-after']).toBeUndefined()
  })

  test('a search costs more than a page, and so does a write', async () => {
    const { ask } = await listening({})
    const [page, search] = [await ask(PROFILE), await ask(SEARCH)]
    expect(left(page) - left(search)).toBeGreaterThan(1)
    const [read, write] = [
      await ask(TIMELINE, { as: ALICE }),
      await ask(MUTE, { as: ALICE, input: { actor: 'bob.test' } }),
    ]
    expect([read.status, write.status]).toEqual([200, 200])
    expect(left(read) - left(write)).toBeGreaterThan(1)
  })

  test('a client without points gets 429 and the time to retry; no other client notices', async () => {
    const { ask } = await listening({ settings: { memberRateLimit: 5, visitorRateLimit: 3 } })
    for (let i = 0; i < 5; i++) expect((await ask(TIMELINE, { as: ALICE })).status).toBe(200)
    const { status, body, headers } = await ask(TIMELINE, { as: ALICE })
    expect([status, JSON.parse(body).error]).toEqual([429, 'RateLimitExceeded'])
    expect(headers['ratelimit-remaining']).toBe('0')
    const wait = Number(headers['retry-after'])
    expect(wait).toBeGreaterThanOrEqual(1)
    expect(wait).toBeLessThanOrEqual(300)
    expect((await ask(TIMELINE, { as: BOB })).status).toBe(200)
    expect((await ask(PROFILE)).status).toBe(200)
  })

  test('visitors count by address, and behind our own proxy by the address it names', async () => {
    const { ask } = await listening({ settings: { visitorRateLimit: 1 } })
    const statuses = []
    for (const from of ['203.0.113.1', '203.0.113.1', '203.0.113.2', '9.9.9.9, 203.0.113.2']) {
      statuses.push((await ask(PROFILE, { from })).status)
    }
    for (const from of ['2001:db8:0:1::1', '2001:db8:0:1::2', '2001:db8:0:2::1']) {
      statuses.push((await ask(PROFILE, { from })).status)
    }
    expect(statuses).toEqual([200, 429, 200, 429, 200, 429, 200])
  })

  test('requests without a valid token are charged to their address, never to the account', async () => {
    const { ask } = await listening({ settings: { memberRateLimit: 5, visitorRateLimit: 20 } })
    const statuses = []
    for (let i = 0; i < 30; i++)
      statuses.push((await ask(TIMELINE, { as: `forged${ALICE}` })).status)
    expect(statuses.filter((status) => status === 401).length).toBe(20)
    expect(statuses.slice(20).every((status) => status === 429)).toBe(true)
    expect(left(await ask(TIMELINE, { as: ALICE }))).toBe(4)
  })

  test.each([
    ['of a stranger', TIMELINE, STRANGER, 403],
    ['without a token', TIMELINE, undefined, 401],
    ['but not of an unknown method', 'com.example.unknown', undefined, 501],
    ['of bad parameters', '/xrpc/app.bsky.actor.getProfile', undefined, 400],
    ['of an unknown path', '/nothing', undefined, 404],
  ])('a refusal is charged too: %s', async (_what, nsid, as, status) => {
    const { ask } = await listening({ settings: { visitorRateLimit: 2 } })
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await ask(nsid, { as })).status)
    const isCharged = status !== 501
    expect(statuses).toEqual([status, status, isCharged ? 429 : status])
  })

  test('the health route and the fixed pages cost no points', async () => {
    const { ask } = await listening({ settings: { visitorRateLimit: 1 } })
    for (let i = 0; i < 3; i++) await ask(PROFILE)
    for (const path of ['/xrpc/_health', '/.well-known/did.json', '/robots.txt']) {
      for (let i = 0; i < 3; i++) {
        const { status, headers } = await ask(path)
        expect([status, headers['ratelimit-limit']]).toEqual([200, undefined])
      }
    }
  })

  test('0 means no limit, and an address can be exempt', async () => {
    const off = await listening({ settings: { visitorRateLimit: 0, memberRateLimit: 0 } })
    for (const as of [undefined, ALICE]) {
      const { status, headers } = await off.ask(PROFILE, { as })
      expect([status, headers['ratelimit-limit']]).toEqual([200, undefined])
    }
    const settings = { visitorRateLimit: 1, unlimitedAddresses: ['203.0.113.0/24'] }
    const { ask } = await listening({ settings })
    for (let i = 0; i < 5; i++)
      expect((await ask(PROFILE, { from: '203.0.113.9' })).status).toBe(200)
    await ask(PROFILE, { from: '198.51.100.9' })
    expect((await ask(PROFILE, { from: '198.51.100.9' })).status).toBe(429)
  })
})

function spin(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('in a flood, a second member is answered long before the flood ends', async () => {
  const order: string[] = []
  const { ask } = await listening({
    settings: { memberRateLimit: 0 },
    handler: ({ viewer }) => {
      order.push(viewer!)
      spin(2)
      return { body: { feed: [] } }
    },
  })
  // Opens the connections first, so that all requests arrive at once.
  await Promise.all(Array.from({ length: 301 }, () => ask('/robots.txt')))
  const flood = Array.from({ length: 300 }, () => ask(TIMELINE, { as: ALICE }))
  const other = ask(TIMELINE, { as: BOB })
  expect((await other).status).toBe(200)
  const all = await Promise.all(flood)
  const statuses = all.map(({ status }) => status)
  expect(statuses.every((status) => status === 200 || status === 429 || status === 503)).toBe(true)
  const before = order.indexOf(BOB)
  const after = order.length - before
  expect(before).toBeLessThan(after)
  expect(before).toBeLessThan(100)
})

describe('connections', () => {
  const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', resolve))

  test('of one address are limited, those of a proxy are not', async () => {
    const listenerLimits = { maxConnectionsEach: 5 }
    const proxied = await listening({ listenerLimits })
    const many = Array.from({ length: 20 }, () => proxied.ask('/xrpc/_health'))
    expect((await Promise.all(many)).every(({ status }) => status === 200)).toBe(true)

    const { open, ask } = await listening({
      listenerLimits,
      settings: { trustedProxies: ['none'] },
    })
    const stored = Array.from({ length: 5 }, open)
    await Promise.all(
      stored.map((socket) => new Promise((resolve) => socket.once('connect', resolve))),
    )
    await closed(open().resume())
    stored[0]!.destroy()
    for (;;) {
      const got = await ask('/xrpc/_health').catch(() => undefined)
      if (got) break
    }
  })

  test('endless headers, and a body that never arrives, are given up', async () => {
    const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200, checkEveryMs: 20 }
    const { open } = await listening({ listenerLimits: limits })
    const headers = open().resume()
    headers.write('GET /xrpc/_health HTTP/1.1\r\nhost: a\r\n')
    const drip = setInterval(() => headers.write('x: y\r\n'), 10)
    const body = open().resume()
    body.write(
      `POST /xrpc/${MUTE} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${ALICE}\r\n` +
        'content-type: application/json\r\ncontent-length: 90000\r\n\r\n{',
    )
    await Promise.all([closed(headers), closed(body)])
    clearInterval(drip)
  })

  test('a client that does not read its answer is cut off; one that reads slowly gets it whole', async () => {
    const page = Buffer.alloc(24 << 20, 'x')
    const { open, ask } = await listening({
      handler: () => ({ body: page }),
      listenerLimits: { graceMs: 100, minBytesPerSecond: 1 << 30, lookEveryMs: 10 },
    })
    const deaf = open()
    deaf.write(`GET /xrpc/${PROFILE}?actor=a.test HTTP/1.1\r\nhost: a\r\n\r\n`)
    deaf.pause()
    // It notices only when reading: the bytes in the kernel's buffer, and then the end.
    await expect.poll(() => ask('/xrpc/_health').then(({ status }) => status)).toBe(200)
    await new Promise((resolve) => setTimeout(resolve, 500))
    let received = 0
    deaf.on('data', (chunk) => {
      received += chunk.length
    })
    deaf.resume()
    await closed(deaf)
    expect(received).toBeLessThan(page.length)

    const patient = await listening({
      handler: () => ({ body: page }),
      listenerLimits: { graceMs: 60_000, minBytesPerSecond: 1, lookEveryMs: 10 },
    })
    const complete = await patient.ask(PROFILE)
    expect(complete.body.length).toBe(page.length)
  })

  test('unread answers in memory are limited in total: the oldest is dropped first', async () => {
    const page = Buffer.alloc(24 << 20, 'x')
    const { open } = await listening({
      handler: () => ({ body: page }),
      listenerLimits: { graceMs: 60_000, maxUnsentBytes: 30 << 20, lookEveryMs: 10 },
    })
    const deaf = Array.from({ length: 3 }, open)
    const received = [0, 0, 0]
    for (const socket of deaf) {
      const request = new Promise((resolve) => socket.once('readable', resolve))
      socket.write(`GET /xrpc/${PROFILE}?actor=a.test HTTP/1.1\r\nhost: a\r\n\r\n`)
      await request
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const ended = deaf.map((socket, i) => {
      socket.on('data', (chunk) => {
        received[i]! += chunk.length
      })
      return closed(socket)
    })
    await ended[0]
    expect(received[0]).toBeLessThan(page.length)
    await expect.poll(() => received[2]).toBeGreaterThan(page.length)
  })
})

describe('what a call takes beyond its points', () => {
  const takes = (ms: number): Handler => {
    return () => {
      clockMs += ms
      return { body: { feed: [] } }
    }
  }

  test('is charged afterwards, and the answer says so', async () => {
    const { ask } = await listening({ handler: takes(8) })
    // 8 milliseconds at 0.4 for a point.
    expect(left(await ask(PROFILE))).toBe(3_000 - 20)
    expect(left(await ask(TIMELINE, { as: ALICE }))).toBe(12_000 - 20)
    const { headers } = await ask(SEARCH)
    expect([left({ headers } as Got), headers['retry-after']]).toEqual([3_000 - 40, undefined])
  })

  test('a visitor buys no more than a second or two of the thread in five minutes', async () => {
    const { ask } = await listening({ handler: takes(40) })
    const began = clockMs
    const statuses = []
    for (let i = 0; i < 60; i++) statuses.push((await ask(i % 2 ? PROFILE : SEARCH)).status)
    expect(clockMs - began).toBeLessThanOrEqual(1_200 + 40)
    expect(statuses.at(-1)).toBe(429)
    expect((await ask(TIMELINE, { as: ALICE })).status).toBe(200)
  })

  test('is charged, too, where the handler waits in between, and where it fails', async () => {
    const slow: Handler = () => {
      clockMs += 4
      return andThen(new Promise<void>((resolve) => setTimeout(resolve, 5)), () => {
        clockMs += 8
        throw new Error('broken')
      })
    }
    const { ask } = await listening({ handler: slow })
    expect((await ask(PROFILE)).status).toBe(500)
    expect(left(await ask('/xrpc/app.bsky.actor.getProfile'))).toBe(3_000 - 30 - 1)
  })

  test('is charged for the checks of a body, too', async () => {
    const lexicons = loadLexicons()
    const check = lexicons.assertValidXrpcInput.bind(lexicons)
    vi.spyOn(lexicons, 'assertValidXrpcInput').mockImplementation((...requested) => {
      clockMs += 8
      return check(...requested)
    })
    const { ask } = await listening({})
    const { status, headers } = await ask(MUTE, { as: ALICE, input: { actor: BOB } })
    expect([status, headers['ratelimit-remaining']]).toEqual([200, String(12_000 - 20)])
    const refused = await ask(MUTE, { as: ALICE, input: { actor: 1 } })
    expect([refused.status, left(refused)]).toEqual([400, 12_000 - 40])
  })

  test('accounts of one did:web domain share it, and nothing else', async () => {
    const { ask } = await listening({
      settings: { memberRateLimit: 100 },
      handler: takes(40),
    })
    const as = (i: number) => `did:web:u${i}.evil.example`
    const statuses = []
    // Each of these takes all of its own points.
    for (let i = 0; i < 12; i++) statuses.push((await ask(TIMELINE, { as: as(i) })).status)
    expect(statuses.slice(0, 8)).toEqual(Array(8).fill(200))
    expect(statuses.slice(9)).toEqual(Array(3).fill(429))
    for (const other of ['did:web:good.example', ALICE]) {
      expect((await ask(TIMELINE, { as: other })).status).toBe(200)
    }
  })

  test('many cheap calls are not charged twice', async () => {
    const { ask } = await listening({ handler: takes(0.3) })
    for (let i = 0; i < 5; i++) await ask(PROFILE)
    expect(left(await ask(PROFILE))).toBe(3_000 - 6)
  })
})
