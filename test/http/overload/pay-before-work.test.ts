// Identity look-ups for tokens are paid for: over real sockets, with tokens as a PDS signs them, a directory
// that counts its requests, and did:web hosts that never answer.

import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { type Keypair, Secp256k1Keypair } from '@atproto/crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Config, loadConfig } from '../../../src/base/config/config.ts'
import type { Method } from '../../../src/http/server/method.ts'
import { createServer, type Server } from '../../../src/http/server/server.ts'
import {
  type IdentityWorld,
  SERVICE_DID,
  startIdentityWorld,
} from '../../support/identity-world.ts'
import { didDocument, plcDid } from '../../support/plc-double.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'

const TIMELINE = 'app.bsky.feed.getTimeline'
const FEED = 'app.bsky.feed.getFeed'
const GENERATOR = 'did:web:generator.example.org'

let world: IdentityWorld
let mallory: Keypair
const closing: (() => unknown)[] = []
beforeEach(async () => {
  world = await startIdentityWorld()
  mallory = await Secp256k1Keypair.create()
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  await world.close()
})

const seen: (string | undefined)[] = []
const handler: Method['handler'] = ({ viewer }) => {
  seen.push(viewer)
  return { body: { feed: [] } }
}
const methods: Method[] = [
  { nsid: TIMELINE, kind: 'query', auth: 'required', handler },
  { nsid: FEED, kind: 'query', auth: 'optional', anyAudience: true, handler },
]

async function listening(
  settings: Partial<Config>,
  further: Partial<Parameters<typeof createServer>[0]> = {},
) {
  seen.length = 0
  const server: Server = createServer({
    config: { ...loadConfig({}, '/nowhere/.env'), port: 0, ...settings },
    methods,
    serviceAuth: world.serviceAuth,
    health: () => ({ ok: true, version: '1' }),
    log: { debug() {}, error() {}, fatal() {} },
    ...further,
  })
  const { port } = await server.listen()
  closing.push(() => server.close())
  return async (token: string, { nsid = TIMELINE, from = '203.0.113.1' } = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': from }
    const query = nsid === FEED ? `?feed=at://${GENERATOR}/app.bsky.feed.generator/x` : ''
    const answer = await fetch(`http://127.0.0.1:${port}/xrpc/${nsid}${query}`, { headers })
    return { status: answer.status, body: (await answer.json()) as { error?: string } }
  }
}

const tokenOf = (iss: string, key: Keypair = mallory, { aud = SERVICE_DID, lxm = TIMELINE } = {}) =>
  signServiceJwt(key, { iss, aud, lxm })

describe('an address', () => {
  test('without points left causes no look-ups, however many accounts it names', async () => {
    const ask = await listening({ visitorRateLimit: 100 })
    let requested = 0
    while ((await ask(await tokenOf(plcDid(`nobody ${requested}`)))).status !== 429) requested++
    expect(requested).toBe(20)
    const hits = world.plc.hits()
    for (let n = 0; n < 300; n++) {
      expect((await ask(await tokenOf(plcDid(`more ${n}`)))).status).toBe(429)
    }
    expect(world.plc.hits()).toBe(hits)
    const alice = await world.plc.create({ handle: 'alice.test' })
    const other = await ask(await tokenOf(alice.did, alice.keypair), { from: '203.0.113.2' })
    expect(other.status).toBe(200)
  })

  test('pays for a directory that fails, and for a refetched key', async () => {
    const ask = await listening({ visitorRateLimit: 100 })
    const alice = await world.plc.create({ handle: 'alice.test' })
    expect((await ask(await tokenOf(alice.did, alice.keypair))).status).toBe(200)
    world.plc.failWith(500)
    const statuses = []
    for (let n = 0; n < 15; n++) statuses.push((await ask(await tokenOf(plcDid(`${n}`)))).status)
    expect(new Set(statuses)).toEqual(new Set([503]))
    for (let n = 0; n < 10; n++) statuses.push((await ask(await tokenOf(alice.did))).status)
    expect(statuses.slice(15)).toEqual([...Array(4).fill(401), ...Array(6).fill(429)])
    // A known key needs no look-up, whatever other clients at this address did.
    expect((await ask(await tokenOf(alice.did, alice.keypair))).status).toBe(200)
  })

  test('without points left still gets a look-up for a member whose key is not in memory', async () => {
    const alice = await world.plc.create({ handle: 'alice.test' })
    const isMember = (did: string) => did === alice.did
    const ask = await listening({ visitorRateLimit: 5 }, { isMember })
    for (let n = 0; n < 3; n++) await ask(await tokenOf(plcDid(`${n}`)))
    expect((await ask(await tokenOf(plcDid('more')))).status).toBe(429)
    expect((await ask(await tokenOf(alice.did, alice.keypair))).status).toBe(200)
  })
})

test('an account that has spent its points is refused without another look-up', async () => {
  const alice = await world.plc.create({ handle: 'alice.test' })
  const ask = await listening({ memberRateLimit: 3 })
  for (let n = 0; n < 3; n++) await ask(await tokenOf(alice.did, alice.keypair))
  world.advance(25 * 3_600_000)
  const hits = world.plc.hits(alice.did)
  const iat = Math.floor(world.now() / 1000)
  for (let n = 0; n < 20; n++) {
    const claims = { iss: alice.did, aud: SERVICE_DID, lxm: TIMELINE, iat, exp: iat + 60 }
    expect((await ask(await signServiceJwt(alice.keypair, claims))).status).toBe(429)
  }
  expect(world.plc.hits(alice.did)).toBe(hits)
})

/** Often enough that no timeout between two bytes ends it. */
const DRIP_MS = 100

describe('hosts that never answer', () => {
  /** did:web hosts that accept a connection, and send nothing or a document byte by byte. */
  async function silentHosts(
    count: number,
    isDripping = false,
  ): Promise<{ dids: string[]; requested: () => number }> {
    const sockets = new Set<Socket>()
    let requested = 0
    const open = async () => {
      const server = createTcpServer((socket) => {
        requested++
        sockets.add(socket)
        socket.on('error', () => undefined)
        if (!isDripping) return
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n{')
        const drip = setInterval(() => socket.write(' '), DRIP_MS)
        socket.on('close', () => clearInterval(drip))
      })
      await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
      closing.push(() => server.close())
      return `did:web:localhost%3A${(server.address() as AddressInfo).port}`
    }
    const dids = await Promise.all(Array.from({ length: count }, open))
    closing.push(() => {
      for (const socket of sockets) socket.destroy()
    })
    return { dids, requested: () => requested }
  }

  test('are given up, as are those whose documents drip', async () => {
    const ask = await listening({})
    const { dids, requested } = await silentHosts(40, true)
    const answers = await Promise.all(dids.map(async (did) => ask(await tokenOf(did))))
    expect(requested()).toBe(40)
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([503]))
    const newcomer = await webAccount()
    expect((await ask(await tokenOf(newcomer.did, newcomer.key))).status).toBe(200)
  })

  async function webAccount(): Promise<{ did: string; key: Keypair }> {
    const key = await Secp256k1Keypair.create()
    const host = createHttpServer((_request, response) => {
      const signingKey = key.did()
      const document = didDocument({ did, handle: 'web.test', pds: 'https://p.test', signingKey })
      response.end(JSON.stringify(document))
    })
    await new Promise<void>((resolve) => host.listen(0, 'localhost', resolve))
    closing.push(() => host.close())
    const did = `did:web:localhost%3A${(host.address() as AddressInfo).port}`
    return { did, key }
  }

  test.each([
    ['from the same address', '203.0.113.1'],
    ['from another', '203.0.113.2'],
  ])('do not delay a newcomer %s', async (_where, from) => {
    const ask = await listening({})
    const { dids, requested } = await silentHosts(160)
    const pending = dids.map(async (did) => ask(await tokenOf(did)))
    while (requested() < 160) await new Promise((resolve) => setImmediate(resolve))
    let isOver = false
    void Promise.race(pending).then(() => {
      isOver = true
    })
    const newcomer = await webAccount()
    const { status } = await ask(await tokenOf(newcomer.did, newcomer.key), { from })
    // All of them were asked at once, and none has timed out yet.
    expect([status, isOver]).toEqual([200, false])
    const answers = await Promise.all(pending)
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([503]))
  })
})

describe('a token for another audience', () => {
  test('does not create a member and gets a visitor’s answer; a member stays one', async () => {
    const [alice, bob] = [
      await world.plc.create({ handle: 'alice.test' }),
      await world.plc.create({ handle: 'bob.test' }),
    ]
    const notified: [string, boolean][] = []
    const ask = await listening(
      {},
      {
        isMember: (did) => did === alice.did,
        onViewer: (did, { isForUs }) => void notified.push([did, isForUs]),
      },
    )
    for (const { did, keypair } of [alice, bob]) {
      const token = await tokenOf(did, keypair, { aud: GENERATOR, lxm: FEED })
      expect((await ask(token, { nsid: FEED })).status).toBe(200)
    }
    expect(seen).toEqual([alice.did, undefined])
    expect(notified).toEqual([
      [alice.did, false],
      [bob.did, false],
    ])
    await ask(await tokenOf(bob.did, bob.keypair, { lxm: FEED }), { nsid: FEED })
    expect(notified.at(-1)).toEqual([bob.did, true])
  })
})
