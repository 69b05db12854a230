// Every call of /v1 waits in the same queue as XRPC and is charged for its time, also where its token has no
// limit, and each page of a stream's way through history is a turn of its own.

import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '../../../../src/base/config/config.ts'
import { timelineRoutes } from '../../../../src/features/timelines/service.ts'
import {
  insertServiceToken,
  newServiceToken,
  tokenDigest,
} from '../../../../src/features/timelines/store/programs/service-tokens.ts'
import { addSigningKey } from '../../../../src/features/timelines/store/signing-keys.ts'
import { createAppend } from '../../../../src/features/timelines/writing/append.ts'
import type { Queued } from '../../../../src/http/overload/fair-queue.ts'
import { createOverload, type Overload } from '../../../../src/http/overload/overload.ts'
import { createRateBuffers } from '../../../../src/http/overload/rate-limits.ts'
import { createResponding } from '../../../../src/http/server/respond.ts'
import { createServer } from '../../../../src/http/server/server.ts'
import { didOf } from '../../../support/records.ts'
import { createWorld, type World } from '../../../support/world.ts'

const EVENTS = 1_000
const RATE = 5_000

let world: World
let port: number
let close: () => Promise<void>
/** Each reading of the thread's clock takes this long. */
let tickMs = 0
let clockMs = 0
let ran: (Queued | undefined)[]

beforeEach(async () => {
  tickMs = 0
  ran = []
  world = createWorld({ members: ['alice'] })
  addSigningKey(world.db, Buffer.alloc(32, 1), Date.now())
  const append = createAppend()
  for (let i = 0; i < EVENTS; i++) {
    const post = { entityId: String(i), entityType: 'note', payload: '{}', producerTs: i }
    const event = { ...post, body: Buffer.from(String(i)), name: 'notes' }
    append(world.db, [{ ...event, key: undefined, numbered: undefined }], i)
  }
  await serve()
})
afterEach(async () => {
  await close()
  world.dispose()
})

async function serve(): Promise<void> {
  const config = { ...loadConfig({}, '/nowhere/.env'), port: 0 }
  const clock = () => (clockMs += tickMs)
  const overload = createOverload({ config, buffers: createRateBuffers(), clock })
  const observed: Overload = {
    ...overload,
    run(caller, work) {
      ran.push(caller.who)
      return overload.run(caller, work)
    },
  }
  const { actors, graph } = world.memory
  const fail = (error: unknown) => {
    throw error
  }
  const log = { debug() {}, error: fail, fatal() {} }
  const responding = createResponding({ overload: observed, log, onBroken: fail })
  const timelines = timelineRoutes({
    config,
    overload: observed,
    responding,
    db: world.reader,
    actors,
    names: { find: () => undefined, known: () => undefined, isRemembered: () => true },
    graph,
    isDrawn: () => true,
    memory: { invalidations: world.invalidations.buffer },
    ingest: { writeTimelines: fail, editGraph: fail, onIdentitiesChanged() {} } as never,
    serviceAuth: {
      verify: async (did) => ({
        did,
        service: undefined,
        isForUs: true,
        isAddressedToUs: true,
        expiresAt: Infinity,
      }),
    },
    onViewer: () => undefined,
    isMember: () => true,
    onFatal: fail,
    shared: { timelines: undefined, following: undefined },
  })
  const server = createServer({
    config,
    overload: observed,
    methods: [],
    serviceAuth: { verify: fail },
    health: () => ({ ok: true, version: '1' }),
    log,
    responding,
    sideRoutes: timelines.routes,
  })
  port = (await server.listen()).port
  close = async () => {
    timelines.close()
    await server.close()
  }
}

function tokenOf(rate: number): string {
  const token = newServiceToken()
  const request = { name: `rate ${rate}`, scopes: ['read:*', 'graph:*'], rate, expiresAt: null }
  insertServiceToken(world.db, { ...request, digest: tokenDigest(token) }, Date.now())
  return token
}

type Sent = { as: string; accept?: string; body?: string }

async function send(path: string, { as, accept, body }: Sent): Promise<IncomingMessage> {
  const headers = {
    authorization: `Bearer ${as}`,
    connection: 'close',
    ...(accept && { accept }),
    ...(body && { 'content-type': 'application/json' }),
  }
  const method = body ? 'POST' : 'GET'
  const request = httpRequest({ host: '127.0.0.1', port, path, method, headers })
  request.end(body)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  return answer
}

async function complete(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  return text
}

const left = ({ headers }: IncomingMessage) => Number(headers['ratelimit-remaining'])

test.each([
  ['a page', '/v1/timelines/custom:notes/events?limit=5', {}],
  ['a merge', `/v1/timelines/custom:notes+author:${didOf('alice')}/events`, {}],
  ['a stored cursor', '/v1/timelines/custom:notes/cursor', {}],
  ['follows', `/v1/graph/follows?actor=did:plc:aaaaaaaaaaaaaaaaaaaaaaaa`, {}],
  ['counts', `/v1/graph/counts?actor=did:plc:aaaaaaaaaaaaaaaaaaaaaaaa`, {}],
  ['pairs', '/v1/graph/contains', { body: '{"pairs":[]}' }],
  ['lines', '/v1/graph/adjacency', { accept: 'application/x-ndjson' }],
])('%s of a token without limit waits in the queue', async (_what, path, sent) => {
  await complete(await send(path, { as: tokenOf(0), ...sent }))
  expect(ran).toEqual([{ rank: 'program', key: 'token rate 0' }])
})

test('a member’s page waits in the member’s lane, where their XRPC calls wait, too', async () => {
  const alice = didOf('alice')
  const answer = await send(`/v1/timelines/author:${alice}/events`, { as: alice })
  await complete(answer)
  expect(answer.statusCode).toBe(200)
  expect(ran).toEqual([{ rank: 'member', key: alice }])
})

test('what a page takes is charged to its token', async () => {
  const as = tokenOf(RATE)
  const first = await send('/v1/timelines/custom:notes/events?limit=5', { as })
  expect(left(first)).toBe(RATE - 1)
  tickMs = 10
  const second = await send('/v1/timelines/custom:notes/events?limit=5', { as })
  expect(left(second)).toBeLessThan(RATE - 20)
})

test('so is a stream’s way through history, page by page', async () => {
  const as = tokenOf(RATE)
  tickMs = 10
  const stream = await send('/v1/timelines/custom:notes/stream?since=0', { as })
  let text = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    text += chunk
    if (text.includes(`id: ${EVENTS}\n`)) break
  }
  tickMs = 0
  const spent = RATE - left(await send('/v1/timelines/custom:notes/events?limit=5', { as }))
  // Ten pages of a hundred events, each a turn of 10 ms, which is 25 points.
  expect(spent).toBeGreaterThanOrEqual(10 * 25)
  expect(text.match(/^data: /gm)?.length).toBe(EVENTS)
})
