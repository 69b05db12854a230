// What an address gets once it has used up its time: nothing of any route, but for a monitor's and browsers' few
// questions, while members behind the same address are answered, and others notice nothing.

import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { Hono } from 'hono'
import { afterEach, expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { createOverload } from '../../../src/http/overload/overload.ts'
import { createRateBuffers } from '../../../src/http/overload/rate-limits.ts'
import type { Method } from '../../../src/http/server/method.ts'
import { createServer, type Server } from '../../../src/http/server/server.ts'
import { ServiceAuthError } from '../../../src/sources/identity/service-jwt.ts'
import { trustingAuth } from '../../support/trusting-auth.ts'

const TIMELINE = '/xrpc/app.bsky.feed.getTimeline'
const PROFILE = '/xrpc/app.bsky.actor.getProfile?actor=a.test'
const HEALTH = '/xrpc/_health'
const ALICE = 'did:plc:aliceaaaaaaaaaaaaaaaaaaa'
const BOB = 'did:plc:bobbbbbbbbbbbbbbbbbbbbbb'
const STRANGERS = '203.0.113.1'
const OTHERS = '203.0.113.2'
/** What an address may use up. */
const ALL_MS = 1_200

const MANY = 3_000

const closing: (() => unknown)[] = []
afterEach(() => Promise.all(closing.splice(0).map((close) => close())))

type RequestOptions = { as?: string; from?: string; verb?: string }
type Got = { status: number; isClosed: boolean; retryAfter: string | undefined }

/** Without `proxies`, the address is the connection's. */
async function listening(proxies: string[] = ['127.0.0.0/8']) {
  let clockMs = 0
  let costlyMs = 0
  let verified = 0
  const config = { ...loadConfig({}, '/nowhere/.env'), port: 0, trustedProxies: proxies }
  const handler: Method['handler'] = ({ params }) => {
    if (params['actor'] === 'costly.test') clockMs += costlyMs
    return { body: { feed: [] } }
  }
  const buffers = createRateBuffers()
  const server: Server = createServer({
    config,
    overload: createOverload({ config, buffers, clock: () => clockMs }),
    methods: [
      { nsid: 'app.bsky.feed.getTimeline', kind: 'query', auth: 'required', handler },
      { nsid: 'app.bsky.actor.getProfile', kind: 'query', auth: 'optional', handler },
    ],
    serviceAuth: {
      verify: async (token, ...rest) => {
        verified += 1
        if (token.includes('.looked-up.')) rest[1]?.asker?.beforeLookup?.(BOB, 'unknown')
        if (token.endsWith('.forged')) throw new ServiceAuthError('BadJwtSignature', 'forged')
        return trustingAuth.verify(token, ...rest)
      },
    },
    onViewer: () => undefined,
    health: () => ({ ok: true, version: '1' }),
    sideRoutes: [{ path: '/page', app: new Hono().get('/', (c) => c.text('a page')) }],
    log: { debug() {}, error() {}, fatal() {} },
  })
  const { port } = await server.listen()
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 100 })
  closing.push(
    () => agent.destroy(),
    () => server.close(),
  )

  function ask(
    path: string,
    { as, from = STRANGERS, verb = 'GET' }: RequestOptions = {},
  ): Promise<Got> {
    const headers = { ...(as && { authorization: `Bearer ${as}` }), 'x-forwarded-for': from }
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path, method: verb, headers, agent }
      const request = httpRequest(options, (answer) => {
        answer.resume().once('end', () =>
          resolve({
            status: answer.statusCode!,
            isClosed: answer.headers.connection === 'close',
            retryAfter: answer.headers['retry-after'],
          }),
        )
      })
      request.once('error', reject)
      request.end()
    })
  }

  const statusOf = async (path: string, requested?: RequestOptions) =>
    (await ask(path, requested)).status

  return {
    server,
    port,
    ask,
    statusOf,
    /** @returns how many forged tokens were looked at before one was not */
    async forgeUntilUnread(nthIssuer: (n: number) => string): Promise<number> {
      const before = verified
      for (let n = 0; n < MANY && verified === before + n; n++) {
        await statusOf(TIMELINE, { as: unsigned(nthIssuer(n)) })
      }
      return verified - before
    },
    useUp({ ms = ALL_MS, from = STRANGERS } = {}) {
      costlyMs = ms
      return ask(PROFILE.replace('a.test', 'costly.test'), { from })
    },
  }
}

const unsigned = (iss: string) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'ES256K' })}.${part({ iss })}.forged`
}

test('no route is left to an address that has used up its time, and others notice nothing', async () => {
  const { ask, statusOf, useUp } = await listening()
  expect((await useUp()).status).toBe(200)
  for (const path of [PROFILE, '/page', '/', '/.well-known/did.json', '/xrpc/com.example.no']) {
    const { status, isClosed, retryAfter } = await ask(path)
    expect([path, status]).toEqual([path, 429])
    // A proxy's connection carries others' requests.
    expect(isClosed).toBe(false)
    expect(Number(retryAfter)).toBeGreaterThan(0)
    expect(Number(retryAfter)).toBeLessThanOrEqual(300)
  }
  expect(await statusOf(PROFILE, { from: OTHERS })).toBe(200)
  expect(await statusOf('/page', { from: OTHERS })).toBe(200)
})

test('answers that cost no points use up an address’s time, and so do refusals', async () => {
  const { statusOf, useUp } = await listening()
  const ways: [string, RequestOptions][] = [
    [HEALTH, {}],
    [PROFILE, { verb: 'OPTIONS' }],
    ['/nothing', {}],
    ['/.well-known/did.json', {}],
    [TIMELINE, {}],
    ['/xrpc/com.example.no', { as: 'anything' }],
    [TIMELINE, { as: unsigned(BOB) }],
  ]
  for (const [i, [path, requested]] of ways.entries()) {
    const from = `203.0.113.${10 + i}`
    await useUp({ ms: ALL_MS - 5, from })
    expect([path, await statusOf('/.well-known/did.json', { from })]).toEqual([path, 200])
    for (let n = 0; n < 40; n++) await statusOf(path, { ...requested, from })
    expect([path, await statusOf('/page', { from })]).toEqual([path, 429])
  }
})

test('looking up who signed a token is work of its address, too', async () => {
  const { statusOf, useUp } = await listening()
  const [free, paid] = ['203.0.113.20', '203.0.113.21']
  for (const [from, as] of [
    [free, 'unread.cached.forged'],
    [paid, 'unread.looked-up.forged'],
  ] as const) {
    await useUp({ ms: ALL_MS - 60, from })
    for (let n = 0; n < 40; n++) await statusOf(TIMELINE, { as, from })
  }
  expect(await statusOf('/page', { from: free })).toBe(200)
  expect(await statusOf('/page', { from: paid })).toBe(429)
})

test('a monitor’s and a browser’s few questions are answered still', async () => {
  const { statusOf, useUp } = await listening()
  await useUp()
  for (const [path, verb, status] of [
    [HEALTH, 'GET', 200],
    [TIMELINE, 'OPTIONS', 204],
  ] as const) {
    for (let n = 0; n < 100; n++) expect(await statusOf(path, { verb })).toBe(status)
    let requested = 0
    while (requested++ < 300 && (await statusOf(path, { verb })) === status);
    expect(requested).toBeLessThan(300)
  }
})

test('members behind the address are answered, also when tokens are forged there', async () => {
  const { statusOf, useUp, forgeUntilUnread } = await listening()
  expect(await statusOf(TIMELINE, { as: ALICE })).toBe(200)
  await useUp()
  // Bob comes for the first time.
  for (const as of [ALICE, BOB]) expect(await statusOf(TIMELINE, { as })).toBe(200)
  const forged = await forgeUntilUnread((n) => `did:plc:nobody${n}`)
  expect(forged).toBeGreaterThan(100)
  expect(forged).toBeLessThan(MANY)
  // Not looked at any more: who was not here before waits.
  expect(await statusOf(TIMELINE, { as: 'did:plc:carolllllllllllllllllll' })).toBe(429)
  for (const as of [ALICE, BOB]) expect(await statusOf(TIMELINE, { as })).toBe(200)
})

test('whoever forges a known member’s tokens there closes the address to that member only', async () => {
  const { statusOf, useUp, forgeUntilUnread } = await listening()
  for (const as of [ALICE, BOB]) expect(await statusOf(TIMELINE, { as })).toBe(200)
  await useUp()
  expect(await forgeUntilUnread(() => ALICE)).toBeLessThan(MANY)
  expect(await statusOf(TIMELINE, { as: ALICE })).toBe(429)
  expect(await statusOf(TIMELINE, { as: BOB })).toBe(200)
  expect(await statusOf(TIMELINE, { as: ALICE, from: OTHERS })).toBe(200)
})

test('networks of IPv6 count by /64, and many of one /48 together', async () => {
  const { statusOf, useUp } = await listening()
  const from = (network: string) => `2001:db8:${network}::1`
  await useUp({ from: from('1:1') })
  expect(await statusOf('/page', { from: '2001:db8:1:1::2' })).toBe(429)
  expect(await statusOf('/page', { from: from('1:2') })).toBe(200)
  for (let i = 3; i < 20; i++) await useUp({ from: from(`1:${i}`) })
  expect(await statusOf('/page', { from: from('1:99') })).toBe(429)
  expect(await statusOf('/page', { from: from('2:1') })).toBe(200)
})

test('a connection of its own is closed, and refusals wait for each other', async () => {
  const { ask, server, useUp, port } = await listening([])
  await useUp()
  const first = await ask(PROFILE)
  expect([first.status, first.isClosed]).toEqual([429, true])
  const request = Array.from({ length: 100 }, () => {
    const socket = connect(port, '127.0.0.1')
    closing.push(() => socket.destroy())
    socket.on('error', () => undefined)
    socket.write(`GET ${PROFILE} HTTP/1.1\r\nhost: a\r\n\r\n`)
    return new Promise<string>((resolve) => {
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString()
      })
      socket.on('close', () => resolve(text))
    })
  })
  await Promise.race(request)
  // A shutdown waits for none of them.
  await server.close()
  const texts = await Promise.all(request)
  expect(texts.filter((text) => text.startsWith('HTTP/1.1 429')).length).toBeGreaterThan(0)
  expect(texts.filter((text) => text === '').length).toBeGreaterThan(20)
})
