// The whole server: mostly through `fetch`, without a port; the cases that need sockets (HEAD, bodies,
// draining, slow clients) over real HTTP on port 0. Accounts, keys and tokens are real.

import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { XRPCError } from '../../../src/base/atproto/xrpc-error.ts'
import { type Config, loadConfig } from '../../../src/base/config/config.ts'
import { InvariantError } from '../../../src/base/util/assert.ts'
import type { Method, MethodContext } from '../../../src/http/server/method.ts'
import { createServer, type Server } from '../../../src/http/server/server.ts'
import { until } from '../../support/eventually.ts'
import {
  type IdentityWorld,
  SERVICE_DID,
  startIdentityWorld,
} from '../../support/identity-world.ts'
import type { PlcAccount } from '../../support/plc-double.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'

const TIMELINE = 'app.bsky.feed.getTimeline'
const PROFILE = 'app.bsky.actor.getProfile'
const MUTE = 'app.bsky.graph.muteActor'
const page = Buffer.from(JSON.stringify({ feed: [], pad: 'abc '.repeat(5000) }))

let world: IdentityWorld
let alice: PlcAccount
let seen: MethodContext[] = []
let logged: unknown[] = []
const servers: Server[] = []

beforeAll(async () => {
  world = await startIdentityWorld()
  alice = await world.plc.create({ handle: 'alice.test' })
})
afterAll(() => world.close())
beforeEach(() => {
  seen = []
  logged = []
})
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

const config: Config = {
  ...loadConfig({ SLIPSTREAM_HOSTNAME: 'appview.example.org' }, '/nowhere/.env'),
  port: 0,
}

type Handler = Method['handler']

/** The three kinds of methods: required and optional authentication, and a procedure. */
function methods(handler: Handler = () => ({ body: { feed: [] } })): Method[] {
  const watched: Handler = (context) => {
    seen.push(context)
    return handler(context)
  }
  return [
    { nsid: TIMELINE, kind: 'query', auth: 'required', handler: watched },
    { nsid: PROFILE, kind: 'query', auth: 'optional', handler: watched },
    { nsid: 'app.bsky.graph.getRelationships', kind: 'query', auth: 'none', handler: watched },
    { nsid: MUTE, kind: 'procedure', auth: 'required', handler: watched },
  ]
}

function serve(
  handler?: Handler,
  changes: Partial<Parameters<typeof createServer>[0]> = {},
): Server {
  const log = {
    debug: () => undefined,
    error: (...line: unknown[]) => void logged.push(...line),
    fatal: () => undefined,
  }
  const server = createServer({
    config,
    methods: methods(handler),
    serviceAuth: world.serviceAuth,
    health: () => ({ ok: true, version: '1.2.3' }),
    log,
    ...changes,
  })
  servers.push(server)
  return server
}

const url = (path: string) => `https://appview.example.org${path}`

async function bearer(lxm = TIMELINE, account = alice): Promise<Record<string, string>> {
  const claims = { iss: account.did, aud: SERVICE_DID, lxm }
  return { authorization: `Bearer ${await signServiceJwt(account.keypair, claims)}` }
}

async function ask(server: Server, path: string, init?: RequestInit) {
  const response = await server.fetch(new Request(url(path), init))
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  const body = isJson && text ? JSON.parse(text) : text
  return { status: response.status, body, headers: response.headers }
}

describe('fixed pages', () => {
  test('the DID document names the service on the same origin', async () => {
    const { status, body } = await ask(serve(), '/.well-known/did.json')
    expect(status).toBe(200)
    expect(body).toEqual({
      '@context': ['https://www.w3.org/ns/did/v1'],
      id: 'did:web:appview.example.org',
      service: [
        {
          id: '#bsky_appview',
          type: 'BskyAppView',
          serviceEndpoint: 'https://appview.example.org',
        },
      ],
    })
  })

  test('with a port, the DID has it as %3A, and localhost is plain http', async () => {
    const local = loadConfig({ SLIPSTREAM_PORT: '3999' }, '/nowhere/.env')
    const { body } = await ask(serve(undefined, { config: local }), '/.well-known/did.json')
    expect(body.id).toBe('did:web:localhost%3A3999')
    expect(body.service[0].serviceEndpoint).toBe('http://localhost:3999')
  })

  test.each(['did:plc:ar7c4by46qjdydhdevvrndac', 'did:web:other.example.org'])(
    '%s is not ours to describe',
    async (serviceDid) => {
      const server = serve(undefined, { config: { ...config, serviceDid } })
      expect((await ask(server, '/.well-known/did.json')).status).toBe(404)
    },
  )

  test('health reports the version, and 503 while something is down', async () => {
    const up = await ask(serve(), '/xrpc/_health')
    expect([up.status, up.body]).toEqual([200, { version: '1.2.3' }])
    const health = () => ({ ok: false, version: '1.2.3', error: 'database' })
    const down = await ask(serve(undefined, { health }), '/xrpc/_health')
    expect([down.status, down.body]).toEqual([503, { version: '1.2.3', error: 'database' }])
  })

  test('health with ?stream, for monitors, is 503 while no new posts come in; without it is not', async () => {
    const stream = { state: 'disconnected', error: 'no connection for 7 minutes' } as const
    const server = serve(undefined, { health: () => ({ ok: true, version: '1.2.3', stream }) })
    const [balancer, monitor] = [
      await ask(server, '/xrpc/_health'),
      await ask(server, '/xrpc/_health?stream'),
    ]
    expect([balancer.status, balancer.body]).toEqual([200, { version: '1.2.3', stream }])
    expect([monitor.status, monitor.body]).toMatchObject([503, { error: stream.error, stream }])
    const live = { state: 'live' } as const
    const well = serve(undefined, { health: () => ({ ok: true, version: '1.2.3', stream: live }) })
    expect((await ask(well, '/xrpc/_health?stream=1')).status).toBe(200)
    expect((await ask(server, '/xrpc/_health?upstream')).status).toBe(200)
  })

  test('the front page and robots.txt have a text', async () => {
    expect((await ask(serve(), '/')).body).toContain('Slipstream')
    expect((await ask(serve(), '/robots.txt')).body).toContain('User-agent: *')
    expect((await ask(serve(), '/nothing')).status).toBe(404)
  })
})

describe('CORS', () => {
  const allowed = (headers: Headers) => headers.get('access-control-allow-origin')

  test.each(['/', '/.well-known/did.json', '/xrpc/_health', `/xrpc/${PROFILE}?actor=alice.test`])(
    '%s is open to any origin',
    async (path) => {
      const { status, headers } = await ask(serve(), path)
      expect([status, allowed(headers)]).toEqual([200, '*'])
    },
  )

  test.each(['/nothing', `/xrpc/${TIMELINE}`, '/xrpc/com.example.unknown', `/xrpc/${PROFILE}`])(
    'so is the error at %s',
    async (path) => {
      const { status, headers } = await ask(serve(), path)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(allowed(headers)).toBe('*')
    },
  )

  test('so is an internal failure', async () => {
    const failing = serve(() => {
      throw new Error('secret')
    })
    const { status, headers } = await ask(failing, `/xrpc/${PROFILE}?actor=a.test`)
    expect([status, allowed(headers)]).toEqual([500, '*'])
  })

  test.each([`/xrpc/${TIMELINE}`, '/.well-known/did.json', '/nothing'])(
    'a browser may send a preflight, at %s, and cache it for a day',
    async (path) => {
      const { status, headers } = await ask(serve(), path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://client.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,atproto-accept-labelers',
        },
      })
      expect([status, allowed(headers)]).toEqual([204, '*'])
      expect(headers.get('access-control-max-age')).toBe('86400')
      expect(headers.get('access-control-allow-headers')).toBe(
        'authorization,atproto-accept-labelers',
      )
      expect(headers.get('access-control-allow-methods')).toContain('POST')
    },
  )
})

describe('routing of methods', () => {
  test.each([
    ['com.example.unknown', 'GET', 501, 'MethodNotImplemented'],
    ['com.example.unknown', 'POST', 501, 'MethodNotImplemented'],
    ['app.bsky.feed.getFeed', 'GET', 501, 'MethodNotImplemented'],
    ['app.bsky.feed.getFeed', 'POST', 400, 'InvalidRequest'],
    [TIMELINE, 'POST', 400, 'InvalidRequest'],
    [TIMELINE, 'DELETE', 400, 'InvalidRequest'],
    [MUTE, 'GET', 400, 'InvalidRequest'],
    ['app', 'GET', 400, 'InvalidRequest'],
    ['not..an.nsid', 'GET', 400, 'InvalidRequest'],
    ['__proto__', 'GET', 400, 'InvalidRequest'],
    ['a/b', 'GET', 400, 'InvalidRequest'],
    ['..%2f..%2fetc%2fpasswd', 'GET', 400, 'InvalidRequest'],
  ])('%s by %s: %i %s', async (nsid, method, status, error) => {
    const answer = await ask(serve(), `/xrpc/${nsid}`, { method })
    expect([answer.status, answer.body.error]).toEqual([status, error])
  })

  test('a trailing slash makes no difference', async () => {
    expect((await ask(serve(), `/xrpc/${PROFILE}/?actor=alice.test`)).status).toBe(200)
    expect((await ask(serve(), '/xrpc/_health/')).status).toBe(200)
  })

  test('a method without a lexicon, or of another kind, fails at startup', () => {
    const handler = () => ({ body: {} })
    const unknown: Method = { nsid: 'com.example.x', kind: 'query', auth: 'none', handler }
    const twisted: Method = { nsid: TIMELINE, kind: 'procedure', auth: 'none', handler }
    expect(() => serve(undefined, { methods: [unknown] })).toThrow('com.example.x')
    expect(() => serve(undefined, { methods: [twisted] })).toThrow()
  })
})

describe('authentication', () => {
  const required = `/xrpc/${TIMELINE}`
  const optional = `/xrpc/${PROFILE}?actor=alice.test`
  const none = '/xrpc/app.bsky.graph.getRelationships?actor=alice.test'

  test('a valid token identifies a viewer', async () => {
    const server = serve()
    expect((await ask(server, required, { headers: await bearer() })).status).toBe(200)
    expect((await ask(server, optional, { headers: await bearer(PROFILE) })).status).toBe(200)
    expect(seen.map(({ viewer }) => viewer)).toEqual([alice.did, alice.did])
  })

  test.each([{}, { authorization: 'Basic YTpi' }, { authorization: '' }])(
    'without a token (%o) only methods that need none are answered',
    async (headers) => {
      const refused = await ask(serve(), required, { headers })
      expect([refused.status, refused.body.error]).toEqual([401, 'AuthMissing'])
      expect((await ask(serve(), optional, { headers })).status).toBe(200)
      expect((await ask(serve(), none, { headers })).status).toBe(200)
      expect(seen.map(({ viewer }) => viewer)).toEqual([undefined, undefined])
    },
  )

  test('a bad token is refused even if optional, unless the method ignores it', async () => {
    const headers = { authorization: 'Bearer rubbish' }
    const answer = await ask(serve(), optional, { headers })
    expect([answer.status, answer.body.error]).toEqual([401, 'BadJwt'])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect((await ask(serve(), none, { headers })).status).toBe(200)
  })

  test('a token for another method is refused by name', async () => {
    const { status, body } = await ask(serve(), required, { headers: await bearer(PROFILE) })
    expect([status, body.error]).toEqual([401, 'BadJwtLexiconMethod'])
    expect(body.message).toContain(TIMELINE)
    expect(seen).toEqual([])
  })

  test('while the directory is unreachable the answer is 503, which a PDS passes on', async () => {
    const stranger = await world.plc.create({ handle: 'stranger.test' })
    world.plc.failWith(500)
    const headers = await bearer(TIMELINE, stranger)
    const { status, body } = await ask(serve(), required, { headers })
    world.plc.failWith(undefined)
    expect([status, body.error]).toEqual([503, 'UpstreamFailure'])
  })

  test('the list of members is checked after the token, and may refuse an account', async () => {
    const requested: string[] = []
    const onViewer = async (did: string) => {
      requested.push(did)
      throw new XRPCError(403, 'NotAMember', 'not here')
    }
    const server = serve(undefined, { onViewer })
    const good = await ask(server, required, { headers: await bearer() })
    expect([good.status, good.body.error]).toEqual([403, 'NotAMember'])
    await ask(server, required, { headers: { authorization: 'Bearer rubbish' } })
    await ask(server, optional)
    expect(requested).toEqual([alice.did])
    expect(seen.map(({ viewer }) => viewer)).toEqual([undefined])
  })
})

describe('the handler receives', () => {
  test('parameters and labelers, and no token that is for us', async () => {
    const headers = await bearer()
    const labelers = 'did:plc:ar7c4by46qjdydhdevvrndac;redact'
    await ask(serve(), `/xrpc/${TIMELINE}?limit=7`, {
      headers: { ...headers, 'atproto-accept-labelers': labelers },
    })
    const [context] = seen
    expect(context?.params).toEqual({ limit: 7 })
    expect(context?.labelers?.dids).toEqual(['did:plc:ar7c4by46qjdydhdevvrndac'])
    expect(context?.token).toBe(undefined)
    expect(context?.signal.aborted).toBe(false)
  })

  test('bad parameters are refused before authentication', async () => {
    const { status, body } = await ask(serve(), `/xrpc/${TIMELINE}?limit=101`)
    expect([status, body.error]).toEqual([400, 'InvalidRequest'])
    expect(body.message).toBe('limit can not be greater than 100')
  })

  test('a procedure gets its input', async () => {
    const headers = { ...(await bearer(MUTE)), 'content-type': 'application/json' }
    const body = JSON.stringify({ actor: 'bob.test' })
    const answer = await ask(
      serve(() => ({ body: undefined })),
      `/xrpc/${MUTE}`,
      {
        method: 'POST',
        headers,
        body,
      },
    )
    expect([answer.status, answer.body]).toEqual([200, ''])
    expect(seen[0]?.input).toEqual({ actor: 'bob.test' })
  })

  test.each([
    ['gzip', gzipSync('{"actor":"bob.test"}'), 200],
    ['br', brotliCompressSync('{"actor":"bob.test"}'), 200],
    ['gzip', gzipSync(Buffer.alloc(10_000_000)), 413],
    ['gzip', Buffer.from('rubbish'), 400],
    ['zstd', Buffer.from('rubbish'), 415],
    ['constructor', Buffer.from('rubbish'), 415],
  ])('compressed with %s (%#)', async (encoding, body, status) => {
    const headers = {
      ...(await bearer(MUTE)),
      'content-type': 'application/json',
      'content-encoding': encoding,
    }
    const answer = await ask(serve(), `/xrpc/${MUTE}`, { method: 'POST', headers, body })
    expect(answer.status).toBe(status)
  })

  test('a body over 100 KB is refused, announced or not', async () => {
    const headers = { ...(await bearer(MUTE)), 'content-type': 'application/json' }
    const long = JSON.stringify({ actor: 'bob.test', pad: 'x'.repeat(102_400) })
    const announced = { ...headers, 'content-length': String(long.length) }
    const post = { method: 'POST', body: long }
    const first = await ask(serve(), `/xrpc/${MUTE}`, { ...post, headers: announced })
    expect([first.status, first.body.error]).toEqual([413, 'PayloadTooLarge'])
    const second = await ask(serve(), `/xrpc/${MUTE}`, { ...post, headers })
    expect(second.status).toBe(413)
    const short = JSON.stringify({ actor: 'bob.test', pad: 'x'.repeat(100_000) })
    expect((await ask(serve(), `/xrpc/${MUTE}`, { ...post, body: short, headers })).status).toBe(
      200,
    )
  })
})

describe('answers', () => {
  const path = `/xrpc/${PROFILE}?actor=alice.test`

  test('ready bytes are sent unchanged, with the handler’s headers', async () => {
    const headers = { 'atproto-repo-rev': '3k2yihcrp6f2c' }
    const response = await serve(() => ({ body: page, headers })).fetch(new Request(url(path)))
    expect(Buffer.from(await response.arrayBuffer()).equals(page)).toBe(true)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('atproto-repo-rev')).toBe('3k2yihcrp6f2c')
  })

  test('are compressed if the client accepts it and it is worthwhile', async () => {
    const server = serve(({ params }) => ({
      body: params['actor'] === 'small.test' ? { small: true } : page,
    }))
    const want = { headers: { 'accept-encoding': 'gzip' } }
    const big = await server.fetch(new Request(url(path), want))
    expect(big.headers.get('content-encoding')).toBe('gzip')
    expect(big.headers.get('vary')).toBe('accept-encoding')
    expect(gunzipSync(await big.arrayBuffer()).equals(page)).toBe(true)
    const small = await ask(server, `/xrpc/${PROFILE}?actor=small.test`, want)
    expect(small.headers.get('content-encoding')).toBeNull()
  })

  test('are left uncompressed for a PDS that is going to edit them', async () => {
    const headers = { 'accept-encoding': 'identity;q=1,gzip;q=0.3,deflate;q=0.2' }
    const answer = await ask(
      serve(() => ({ body: page })),
      path,
      { headers },
    )
    expect(answer.headers.get('content-encoding')).toBeNull()
  })

  test('an error of a handler keeps its name and headers', async () => {
    const server = serve(() => {
      throw new XRPCError(429, 'RateLimitExceeded', 'slow down', {
        headers: { 'retry-after': '9' },
      })
    })
    const { status, body, headers } = await ask(server, path)
    expect([status, body]).toEqual([429, { error: 'RateLimitExceeded', message: 'slow down' }])
    expect(headers.get('retry-after')).toBe('9')
    expect(logged).toEqual([])
  })

  test.each([
    ['as a rejection', () => Promise.reject(new Error('SELECT secret FROM members'))],
    [
      'thrown synchronously',
      () => {
        throw new TypeError('secret')
      },
    ],
    ['without an error', () => Promise.reject(undefined)],
  ])(
    'an internal failure, %s, reveals nothing and is logged with its request id',
    async (_how, fail) => {
      const { status, body, headers } = await ask(serve(fail), path)
      expect([status, body]).toEqual([
        500,
        { error: 'InternalServerError', message: 'Internal Server Error' },
      ])
      expect(logged[0]).toMatchObject({ requestId: headers.get('x-request-id'), status: 500 })
    },
  )

  test('a client’s input cannot forge a line of the log', async () => {
    const fail = () => Promise.reject(new Error('x'))
    await ask(serve(fail), `/xrpc/${PROFILE}?actor=alice.test&x=%0a{"level":60}`)
    const [line, message] = logged as [Record<string, unknown>, string]
    expect(message).toBe('request failed')
    expect(JSON.stringify(line['path'])).not.toContain('level')
  })

  test('a broken invariant is answered, and reported as fatal', async () => {
    const broken: unknown[] = []
    const error = new InvariantError('two and two are five')
    const server = serve(() => Promise.reject(error), {
      onBroken: (item) => void broken.push(item),
    })
    expect((await ask(server, path)).status).toBe(500)
    expect(broken).toEqual([error])
  })

  test('a handler that never ends is given up, and notified', async () => {
    const server = serve(
      ({ signal }) => {
        signal.addEventListener('abort', () => logged.push('told'))
        return new Promise(() => undefined)
      },
      { handlerTimeoutMs: 50 },
    )
    const { status, body } = await ask(server, path)
    expect([status, body.error]).toEqual([503, 'ServiceUnavailable'])
    await until(() => logged.includes('told'))
  })

  test('request ids are unique', async () => {
    const server = serve()
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => (await ask(server, path)).headers.get('x-request-id')),
    )
    expect(new Set(ids).size).toBe(50)
  })
})

describe('over sockets', () => {
  type Got = { status: number; headers: IncomingMessage['headers']; body: Buffer }

  function get(
    port: number,
    path: string,
    options: { method?: string; headers?: Record<string, string>; agent?: Agent } = {},
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<Got>()
    const request: ClientRequest = httpRequest(
      { port, path, host: '127.0.0.1', ...options },
      async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk)
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        })
      },
    )
    request.on('error', reject)
    return { request, answer: promise }
  }

  /** Sends raw bytes, and returns everything received until the end. */
  function raw(port: number, text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text))
      let received = ''
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.on('end', () => resolve(received))
      socket.on('error', reject)
    })
  }

  async function listening(
    handler?: Handler,
    changes?: Partial<Parameters<typeof createServer>[0]>,
  ) {
    const server = serve(handler, changes)
    const { port } = await server.listen()
    return { server, port }
  }

  test('HEAD answers as GET would, without the body', async () => {
    const { port } = await listening(() => ({ body: page }))
    for (const path of [
      '/',
      '/.well-known/did.json',
      '/xrpc/_health',
      `/xrpc/${PROFILE}?actor=a.test`,
    ]) {
      const complete = get(port, path)
      complete.request.end()
      const head = get(port, path, { method: 'HEAD' })
      head.request.end()
      const [got, only] = await Promise.all([complete.answer, head.answer])
      expect([only.status, only.body.length]).toEqual([200, 0])
      expect(only.headers['content-length'], path).toBe(String(got.body.length))
      expect(only.headers['content-type']).toBe(got.headers['content-type'])
    }
  })

  test('a body on a query is refused, however it is sent', async () => {
    const { port } = await listening()
    const path = `/xrpc/${PROFILE}?actor=a.test`
    const framings: Record<string, string>[] = [
      { 'content-length': '2' },
      { 'transfer-encoding': 'chunked' },
    ]
    for (const headers of framings) {
      const { request, answer } = get(port, path, { headers })
      request.end('{}')
      expect((await answer).status).toBe(400)
    }
    const { request, answer } = get(port, path, { headers: { 'content-length': '0' } })
    request.end()
    expect((await answer).status).toBe(200)
  })

  test('a body with too large a stated length is refused unread', async () => {
    const { port } = await listening()
    const headers = {
      ...(await bearer(MUTE)),
      'content-type': 'application/json',
      'content-length': '1000000',
    }
    const { request, answer } = get(port, `/xrpc/${MUTE}`, { method: 'POST', headers })
    request.flushHeaders()
    expect((await answer).status).toBe(413)
    request.destroy()
  })

  test('a refused body does not end later requests on its connection', async () => {
    const { port } = await listening()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const headers = { ...(await bearer(MUTE)), 'content-type': 'application/json' }
    const large = get(port, `/xrpc/${MUTE}`, { method: 'POST', headers, agent })
    large.request.end(Buffer.alloc(200_000, 'a'))
    expect((await large.answer).status).toBe(413)
    const until = Date.now() + 1_200
    while (Date.now() < until) {
      const { request, answer } = get(port, '/xrpc/_health', { agent })
      request.end()
      expect((await answer).status).toBe(200)
      expect(request.reusedSocket).toBe(true)
    }
    agent.destroy()
  })

  test.each([
    ['never arrives in full', 1_000_000],
    ['arrives in full', 200_000],
  ])('a refused body that %s does not keep the server from stopping', async (_what, length) => {
    const { server, port } = await listening(undefined, {
      listenerLimits: { drainMs: 3_600_000 },
    })
    const agent = new Agent({ keepAlive: true })
    const headers = {
      ...(await bearer(MUTE)),
      'content-type': 'application/json',
      'content-length': String(length),
    }
    const large = get(port, `/xrpc/${MUTE}`, { method: 'POST', headers, agent })
    large.request.on('error', () => undefined)
    large.request.write(Buffer.alloc(200_000, 'a'))
    expect((await large.answer).status).toBe(413)
    await server.close()
    agent.destroy()
  })

  test('a body in very many pieces is refused, and its connection ended', async () => {
    const { port } = await listening()
    const { authorization } = await bearer(MUTE)
    const send = (pad: number, piece: number) => {
      const body = JSON.stringify({ actor: 'bob.test', pad: 'x'.repeat(pad) })
      const pieces = body.match(new RegExp(`.{1,${piece}}`, 'g'))!
      const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')
      const head = `POST /xrpc/${MUTE} HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked`
      return raw(
        port,
        `${head}\r\n\r\n${chunks}0\r\n\r\nGET /xrpc/_health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
      )
    }
    const statusesOf = (text: string) =>
      [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)
    // It may be cut off before reading the answer.
    const refused = await send(50_000, 1).catch(() => '')
    expect(['', '400']).toContain(statusesOf(refused).join(' '))
    expect(seen).toEqual([])
    expect(statusesOf(await send(50_000, 100))).toEqual(['200', '200'])
  })

  test.each([
    ['a member', 413],
    ['a visitor', 401],
  ])('an endless body of %s is cut off', async (who, status) => {
    const hour = 3_600_000
    const { port } = await listening(undefined, { listenerLimits: { requestTimeoutMs: hour } })
    const headers = {
      ...(who === 'a member' && (await bearer(MUTE))),
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    }
    const { request, answer } = get(port, `/xrpc/${MUTE}`, { method: 'POST', headers })
    const cutOff = new Promise((resolve) => request.once('close', resolve))
    request.on('error', () => undefined)
    const more = setInterval(() => request.write(Buffer.alloc(20_000)), 1)
    expect((await answer).status).toBe(status)
    await cutOff
    clearInterval(more)
  })

  test.each([
    ['no host', 'GET / HTTP/1.0\r\n\r\n', '200'],
    ['an invalid host', 'GET / HTTP/1.1\r\nhost: a b/c\r\nconnection: close\r\n\r\n', '400'],
    ['not HTTP', 'hello\r\n\r\n', '400'],
    ['oversized headers', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
  ])('%s', async (_what, text, status) => {
    const { port } = await listening()
    expect(await raw(port, text)).toMatch(new RegExp(`^HTTP/1.1 ${status}`))
  })

  test('a query whose client has disconnected is notified', async () => {
    const notified = Promise.withResolvers<void>()
    const { port } = await listening(({ signal }) => {
      signal.addEventListener('abort', () => notified.resolve())
      requested.resolve()
      return new Promise(() => undefined)
    })
    const requested = Promise.withResolvers<void>()
    const { request, answer } = get(port, `/xrpc/${PROFILE}?actor=a.test`)
    answer.catch(() => undefined)
    request.end()
    await requested.promise
    request.destroy()
    await notified.promise
  })

  test('a client that disconnects in the middle of its body is not an internal failure', async () => {
    const refused = Promise.withResolvers<unknown>()
    const log = {
      debug: (line: unknown) => refused.resolve(line),
      error: (line: unknown) => refused.reject(line),
      fatal: () => undefined,
    }
    const { port } = await listening(undefined, { log })
    const headers = { ...(await bearer(MUTE)), 'content-type': 'application/json' }
    const { request, answer } = get(port, `/xrpc/${MUTE}`, {
      method: 'POST',
      headers: { ...headers, 'content-length': '90000' },
    })
    answer.catch(() => undefined)
    request.on('error', () => undefined)
    request.write('{', () => setTimeout(() => request.destroy(), 20))
    expect(await refused.promise).toMatchObject({ status: 400, path: `/xrpc/${MUTE}` })
  })

  test('of consecutive requests on one connection only the first few are begun', async () => {
    const { port } = await listening(() => new Promise(() => undefined))
    const request = `GET /xrpc/${PROFILE}?actor=a.test HTTP/1.1\r\nhost: a\r\n\r\n`
    await raw(port, request.repeat(200)).catch(() => undefined)
    expect(seen.length).toBeLessThan(20)
  })

  test('closing answers running requests, accepts no more, and ends idle connections', async () => {
    const release = Promise.withResolvers<void>()
    const requested = Promise.withResolvers<void>()
    const { server, port } = await listening(async () => {
      requested.resolve()
      await release.promise
      return { body: { feed: ['whole'] } }
    })
    const idle = connect(port, '127.0.0.1')
    const idleEnded = new Promise((resolve) => idle.on('close', resolve))
    const running = get(port, `/xrpc/${PROFILE}?actor=a.test`, {
      headers: { connection: 'keep-alive' },
    })
    running.request.end()
    await requested.promise
    const closed = server.close()
    const late = get(port, '/xrpc/_health')
    late.request.end()
    await expect(late.answer).rejects.toThrow('ECONNREFUSED')
    release.resolve()
    expect(JSON.parse((await running.answer).body.toString())).toEqual({ feed: ['whole'] })
    await closed
    await idleEnded
  })

  test('a server about to stop says so in its health, and answers everything else', async () => {
    const { server, port } = await listening(() => ({ body: { feed: ['whole'] } }))
    server.leave()
    const requested = ['/xrpc/_health', `/xrpc/${PROFILE}?actor=a.test`].map((path) =>
      get(port, path),
    )
    for (const { request } of requested) request.end()
    const [health, page] = await Promise.all(requested.map(({ answer }) => answer))
    expect(health!.status).toBe(503)
    expect(health!.body.toString()).toContain('about to stop')
    expect([page!.status, page!.headers['connection']]).toEqual([200, 'close'])
  })

  test('a port in use is an error', async () => {
    const { port } = await listening()
    const second = serve(undefined, { config: { ...config, port } })
    await expect(second.listen()).rejects.toThrow('EADDRINUSE')
  })

  test('closing without having listened is allowed', async () => {
    await expect(serve().close()).resolves.toBeUndefined()
  })
})
