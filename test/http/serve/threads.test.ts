// Serving on several threads: the process as an operator runs it, over real sockets with real tokens. Each
// answer's request id begins with a prefix unique to its thread, which shows which one answered.

import {
  Agent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/eventually.ts'
import {
  createJetstreamDouble,
  type JetstreamDouble,
} from '../../support/jetstream-double/double.ts'
import { type PlcAccount, type PlcDouble, startPlcDouble } from '../../support/plc-double.ts'
import { cidOf, tidAt } from '../../support/records.ts'
import { signServiceJwt } from '../../support/service-jwt.ts'
import {
  freshDataDir,
  type SlipstreamProcess,
  startSlipstream,
} from '../../support/slipstream-process.ts'

const THREADS = 3
const SERVICE_DID = 'did:web:appview.example.org'
const MUTE = 'app.bsky.graph.muteActor'
const UNMUTE = 'app.bsky.graph.unmuteActor'
const PREFERENCES = 'app.bsky.actor.getPreferences'
const PROFILE = 'app.bsky.actor.getProfile'
const TIMELINE = 'app.bsky.feed.getTimeline'
const INTERACTIONS = 'app.bsky.feed.sendInteractions'

let plc: PlcDouble
let double: JetstreamDouble
const started: SlipstreamProcess[] = []

beforeAll(async () => {
  plc = await startPlcDouble()
  double = await createJetstreamDouble()
})
afterAll(async () => {
  await double.close()
  await plc.close()
})

async function stopAll(): Promise<void> {
  await Promise.all(started.splice(0).map((server) => server.stop('SIGKILL')))
}

/** The stream is unreachable; the directory is not. */
function start(env: Record<string, string> = {}): SlipstreamProcess {
  const server = startSlipstream({
    SERVE_THREADS: String(THREADS),
    HOSTNAME: 'appview.example.org',
    JETSTREAM_HOSTS: 'ws://127.0.0.1:9',
    PLC_URL: plc.url,
    ALLOW_PRIVATE_HOSTS: 'on',
    DATA_DIR: freshDataDir(),
    ...env,
  })
  started.push(server)
  return server
}

type Answer = {
  status: number
  headers: IncomingHttpHeaders
  thread: string
  body: Record<string, unknown>
}
type Ask = { headers?: Record<string, string>; input?: unknown }

/** One connection, which stays with the thread that accepted it. */
function connection(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  function ask(path: string, { headers, input }: Ask = {}): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const method = input === undefined ? 'GET' : 'POST'
    const type = input === undefined ? {} : { 'content-type': 'application/json' }
    const options = { host: '127.0.0.1', port, path, agent, method }
    const request = httpRequest({ ...options, headers: { ...headers, ...type } }, (answer) =>
      read(answer).then(resolve, reject),
    )
    request.on('error', reject)
    request.end(input === undefined ? undefined : JSON.stringify(input))
    return promise
  }
  return { ask, close: () => agent.destroy() }
}

async function read(answer: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const thread = String(answer.headers['x-request-id']).split('-')[0]!
  const { statusCode: status = 0, headers } = answer
  return { status, headers, thread, body: text === '' ? {} : JSON.parse(text) }
}

type Connection = ReturnType<typeof connection>

/**
 * A connection to every thread: the kernel assigns them at random, so new ones are opened until all
 * are reached.
 */
async function toEveryThread(port: number): Promise<Connection[]> {
  const found = new Map<string, Connection>()
  for (let tries = 0; found.size < THREADS && tries < 300; tries++) {
    const scene = connection(port)
    const { thread } = await scene.ask('/xrpc/_health')
    if (found.has(thread)) scene.close()
    else found.set(thread, scene)
  }
  expect(found.size).toBe(THREADS)
  return [...found.values()]
}

async function bearer(account: PlcAccount, lxm: string): Promise<Record<string, string>> {
  const claims = { iss: account.did, aud: SERVICE_DID, lxm }
  return { authorization: `Bearer ${await signServiceJwt(account.keypair, claims)}` }
}

/**
 * At least one point per call, whichever thread answers: more for a call that takes long, as the
 * first ones of a thread do. A window that ends meanwhile starts again.
 */
function expectCounted(answers: readonly Answer[], limit: number): void {
  let left = limit
  let endsAt = answers[0]!.headers['ratelimit-reset']
  for (const { status, headers } of answers) {
    if (headers['ratelimit-reset'] !== endsAt) left = limit
    endsAt = headers['ratelimit-reset']
    expect(status).toBe(left > 0 ? 200 : 429)
    const remaining = Number(headers['ratelimit-remaining'])
    expect(remaining).toBeLessThanOrEqual(Math.max(left - 1, 0))
    left = remaining
  }
}

let keyUs = Date.now() * 1000

function follow(did: string, subject: string) {
  const createdAt = new Date().toISOString()
  const record = { $type: 'app.bsky.graph.follow', subject, createdAt }
  const rkey = tidAt(keyUs++)
  return { did, operation: 'create' as const, collection: record.$type, rkey, record }
}

function post(did: string, number: number) {
  const createdAt = new Date().toISOString()
  const record = { $type: 'app.bsky.feed.post', text: `number ${number}`, createdAt }
  const rkey = tidAt(keyUs++)
  const cid = cidOf(record)
  return { did, operation: 'create' as const, collection: record.$type, rkey, cid, record }
}

describe('several threads of one server', () => {
  let port: number
  let alice: PlcAccount
  beforeAll(async () => {
    alice = await plc.create({ handle: 'alice.test' })
    port = await start({ MEMBERS: alice.did, JETSTREAM_HOSTS: double.url }).port()
    await until(() => double.openConnections() > 0)
  })
  afterAll(stopAll)

  test('all serve, and each reports the state of the one ingest thread', async () => {
    for (const { ask, close } of await toEveryThread(port)) {
      const health = () => ask('/xrpc/_health')
      await expect.poll(async () => (await health()).body['ingest']).toBeDefined()
      expect(await health()).toMatchObject({ status: 200, body: { ingest: { openGaps: 0 } } })
      close()
    }
  })

  test('a write through one is readable through all by the time it is answered', async () => {
    const connections = await toEveryThread(port)
    for (const [i, writing] of connections.entries()) {
      // On different servers, so that none waits for one that failed too many requests.
      const bob = await plc.create({ handle: `bob${i}.test`, pds: `http://127.0.0.1:${i + 2}` })
      const input = { actor: bob.did }
      for (const [method, muted] of [
        [MUTE, true],
        [UNMUTE, false],
        [MUTE, true],
      ] as const) {
        const written = await writing.ask(`/xrpc/${method}`, {
          headers: await bearer(alice, method),
          input,
        })
        expect(written).toMatchObject({ status: 200 })
        for (const reading of connections) {
          const headers = await bearer(alice, PROFILE)
          const { status, body } = await reading.ask(`/xrpc/${PROFILE}?actor=${bob.did}`, {
            headers,
          })
          expect(status, JSON.stringify(body)).toBe(200)
          expect((body['viewer'] as { muted: boolean }).muted).toBe(muted)
        }
      }
    }
    for (const { close } of connections) close()
  })

  test('nor does any keep cached state that a request to another changed', async () => {
    const authors = await Promise.all(
      [0, 1, 2].map((i) => plc.create({ handle: `author${i}.test` })),
    )
    const connections = await toEveryThread(port)
    for (const { did } of authors) double.emit(follow(alice.did, did))
    for (let i = 0; i < 30; i++) double.emit(post(authors[i % 3]!.did, i))

    const lengths = async () => {
      const headers = await bearer(alice, TIMELINE)
      const pages = connections.map(({ ask }) => ask(`/xrpc/${TIMELINE}?limit=30`, { headers }))
      return (await Promise.all(pages)).map(({ body }) => (body['feed'] as unknown[])?.length)
    }
    const all = (length: number) => connections.map(() => length)
    await expect.poll(lengths).toEqual(all(30))

    for (let round = 0; round < 12; round++) {
      const { ask } = connections[round % THREADS]!
      const input = { actor: authors[round % authors.length]!.did }
      for (const [method, length] of [
        [MUTE, 20],
        [UNMUTE, 30],
      ] as const) {
        await ask(`/xrpc/${method}`, { headers: await bearer(alice, method), input })
        expect(await lengths(), `${method}, round ${round}`).toEqual(all(length))
      }
    }
    for (const { close } of connections) close()
  })

  test('none accepts a token for another service that another thread has seen', async () => {
    const connections = await toEveryThread(port)
    const headers = await bearer(alice, PREFERENCES)
    expect((await connections[0]!.ask(`/xrpc/${PREFERENCES}`, { headers })).status).toBe(200)
    const claims = { iss: alice.did, aud: 'did:web:generator.example', lxm: INTERACTIONS }
    const token = await signServiceJwt(alice.keypair, claims)
    const statuses: number[] = []
    for (const { ask } of [...connections, ...connections]) {
      const further = { headers: { authorization: `Bearer ${token}` }, input: { interactions: [] } }
      statuses.push((await ask(`/xrpc/${INTERACTIONS}`, further)).status)
    }
    expect(statuses).toEqual([200, ...Array(2 * THREADS - 1).fill(403)])
    for (const { close } of connections) close()
  })

  test('none accepts a revoked key, whether the stream or another thread learnt of it', async () => {
    const connections = await toEveryThread(port)
    const statuses = async (account: PlcAccount, requested = connections) => {
      const headers = await bearer(account, PREFERENCES)
      const all = requested.map(({ ask }) => ask(`/xrpc/${PREFERENCES}`, { headers }))
      return [...new Set((await Promise.all(all)).map(({ status }) => status))]
    }
    expect(await statuses(alice)).toEqual([200])
    const second = { ...alice, keypair: await plc.rotate(alice.did) }
    double.emit({ kind: 'identity', did: alice.did, handle: 'alice.test' })
    await expect.poll(() => statuses(alice)).toEqual([401])
    expect(await statuses(second)).toEqual([200])
    // Without an event this time: one thread sees the new key, and all refuse the old one.
    const third = { ...alice, keypair: await plc.rotate(alice.did) }
    expect(await statuses(third, connections.slice(0, 1))).toEqual([200])
    await expect.poll(() => statuses(second)).toEqual([401])
    expect(await statuses(third)).toEqual([200])
    for (const { close } of connections) close()
  })

  test('none admits an account that is not on the list of members', async () => {
    const mallory = await plc.create({ handle: 'stranger.test' })
    for (const { ask, close } of await toEveryThread(port)) {
      const path = `/xrpc/${PROFILE}?actor=${mallory.did}`
      const stranger = await ask(path, { headers: await bearer(mallory, PROFILE) })
      expect(stranger).toMatchObject({ status: 403, body: { error: 'NotAMember' } })
      close()
    }
  })
})

describe('several threads', () => {
  afterEach(stopAll)

  test('share one count of an account’s requests', async () => {
    const alice = await plc.create({ handle: 'counted.test' })
    const limits = { MEMBER_RATE_LIMIT: '10', VISITOR_RATE_LIMIT: '7' }
    const port = await start({ MEMBERS: alice.did, ...limits }).port()
    const connections = await toEveryThread(port)
    const members: Answer[] = []
    const visitors: Answer[] = []
    for (let i = 0; i < 15; i++) {
      const { ask } = connections[i % THREADS]!
      const headers = await bearer(alice, PREFERENCES)
      members.push(await ask(`/xrpc/${PREFERENCES}`, { headers }))
      visitors.push(await ask(`/xrpc/${PROFILE}?actor=${alice.did}`))
    }
    expectCounted(members, 10)
    expectCounted(visitors, 7)
    for (const { close } of connections) close()
  })

  test('SIGTERM lets every thread finish its answers, and ends cleanly', async () => {
    const server = start()
    const port = await server.port()
    const connections = await toEveryThread(port)
    // A newcomer's first page waits for some seconds, because no posts arrive, and is not the last.
    const accounts = await Promise.all(
      connections.map((_, i) => plc.create({ handle: `newcomer${i}.test` })),
    )
    const running = connections.map(async ({ ask }, i) =>
      ask(`/xrpc/${TIMELINE}`, { headers: await bearer(accounts[i]!, TIMELINE) }),
    )
    // A request whose token is being checked has arrived.
    for (const { did } of accounts) await expect.poll(() => plc.hits(did)).toBeGreaterThan(0)
    const exit = server.stop('SIGTERM')
    const answers = await Promise.all(running)
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      connections.map(() => [200, { feed: [], cursor: expect.any(String) }]),
    )
    expect(new Set(answers.map(({ thread }) => thread)).size).toBe(THREADS)
    expect(await exit).toBe(0)
    await expect(connection(port).ask('/xrpc/_health')).rejects.toThrow('ECONNREFUSED')
  })

  test('they start again on the data of a killed process', async () => {
    const dataDir = freshDataDir()
    const first = start({ DATA_DIR: dataDir })
    const port = await first.port()
    const alice = await plc.create({ handle: 'again.test' })
    const bob = await plc.create({ handle: 'muted.test' })
    const input = { actor: bob.did }
    await connection(port).ask(`/xrpc/${MUTE}`, { headers: await bearer(alice, MUTE), input })
    await first.stop('SIGKILL')
    const again = await start({ DATA_DIR: dataDir }).port()
    for (const { ask, close } of await toEveryThread(again)) {
      const headers = await bearer(alice, PROFILE)
      const { body } = await ask(`/xrpc/${PROFILE}?actor=${bob.did}`, { headers })
      expect(body).toMatchObject({ viewer: { muted: true } })
      close()
    }
  })

  test('a port that another process shares among its own threads is still refused', async () => {
    const holder = createServer()
    const port = await new Promise<number>((resolve) => {
      holder.listen({ port: 0, host: '127.0.0.1', reusePort: true }, () =>
        resolve((holder.address() as { port: number }).port),
      )
    })
    const refused = start({ PORT: String(port) })
    expect(await refused.exit).toBe(78)
    expect(refused.output()).toMatch(new RegExp(`Cannot listen on 127.0.0.1:${port}`))
    holder.close()
  })
})
