// Which requests are recorded as slow, and that the parts of each add up: on a server with a socket, with
// controlled times.

import { Hono } from 'hono'
import { afterEach, expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { HOUR_MS } from '../../../src/base/util/durations.ts'
import { timed } from '../../../src/base/util/turn.ts'
import type { DirectRoute } from '../../../src/http/server/direct-routes.ts'
import type { Method } from '../../../src/http/server/method.ts'
import type { RequestClock } from '../../../src/http/server/request-clock.ts'
import { createServer, type Server } from '../../../src/http/server/server.ts'
import type { SideRoutes } from '../../../src/http/server/side-routes.ts'
import { createSlowRequests } from '../../../src/http/server/slow-requests.ts'
import { trustingAuth } from '../../support/trusting-auth.ts'

const NSID = 'app.bsky.feed.getTimeline'

let server: Server | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

type SlowRequest = ReturnType<ReturnType<typeof createSlowRequests>['list']>[number]
const sumOf = (slowRequest: SlowRequest) =>
  slowRequest.token +
  slowRequest.wait +
  slowRequest.queue +
  slowRequest.skeleton +
  slowRequest.rows +
  slowRequest.views +
  slowRequest.finish +
  slowRequest.write

function spin(steps: number): number {
  let sum = 0
  for (let i = 0; i < steps; i++) sum += Math.sqrt(i)
  return sum
}

async function serve(
  method: Omit<Method, 'nsid' | 'kind' | 'auth'>,
  sideRoutes: SideRoutes[] = [],
) {
  const collections = { between: (from: number, to: number) => to - from }
  const slowRequests = createSlowRequests({ collections })
  server = createServer({
    config: {
      ...loadConfig({}, '/nowhere/.env'),
      port: 0,
      visitorRateLimit: 0,
      memberRateLimit: 0,
    },
    methods: [{ nsid: NSID, kind: 'query', auth: 'required', ...method }],
    serviceAuth: trustingAuth,
    health: () => ({ ok: true, version: 'test' }),
    log: { debug() {}, error() {}, fatal() {} } as never,
    slowRequests,
    sideRoutes,
  })
  const { port } = await server.listen()
  const ask = (headers = { authorization: 'Bearer did:plc:alice' }, path = `/xrpc/${NSID}`) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers }).then((answer) => answer.text())
  return { ask, list: slowRequests.list }
}

test('the parts of a request add up, whatever its outcome', async () => {
  const { ask, list } = await serve({
    ready: () => new Promise((resolve) => setImmediate(resolve)),
    handler() {
      const found = timed('skeleton', () => spin(1000) + timed('rows', () => spin(100_000)))
      return { body: { feed: [], found } }
    },
  })
  await ask()
  await ask({ authorization: 'nothing that counts' })
  expect(list().map(({ path, status }) => [path, status])).toEqual(
    expect.arrayContaining([
      [`/xrpc/${NSID}`, 200],
      [`/xrpc/${NSID}`, 401],
    ]),
  )
  for (const slowRequest of list()) expect(sumOf(slowRequest)).toBeCloseTo(slowRequest.totalMs, 6)
  const answered = list().find(({ status }) => status === 200)!
  for (const part of ['token', 'wait', 'skeleton', 'rows'] as const) {
    expect(answered[part], part).toBeGreaterThan(0)
  }
  await expect.poll(() => list().every(({ collectionsMs }) => collectionsMs > 0)).toBe(true)
})

test('requests that bypass the router are listed too, by their counted name', async () => {
  const direct: DirectRoute = {
    path: '/v1/timelines/',
    nameOf: () => 'web timeline-pages',
    answering: (request) => async () => {
      request.clock?.mark('token')
      request.clock?.handled(() => spin(100_000))
      request.clock?.mark('handler')
      return { status: 200, body: Buffer.from('{}'), headers: {} }
    },
  }
  const app = new Hono()
  const { ask, list } = await serve({ handler: () => ({ body: {} }) }, [
    { path: '/v1', app, direct },
  ])
  await ask(undefined, '/v1/timelines/following:did:plc:alice/events')
  await expect.poll(list).toHaveLength(1)
  const [slowRequest] = list() as [SlowRequest]
  expect([slowRequest.path, slowRequest.status]).toEqual(['web timeline-pages', 200])
  expect(slowRequest.views).toBeGreaterThan(0)
  expect(sumOf(slowRequest)).toBeCloseTo(slowRequest.totalMs, 6)
})

test('the slowest hundred of the last hour are kept, the slowest first', () => {
  const clock = { now: 5 * HOUR_MS }
  const slow = createSlowRequests({
    collections: { between: () => 0 },
    now: () => clock.now,
  })
  const add = (ms: number) =>
    slow.add({ path: '/', clock: { startedAt: 0, endedAt: ms, handler: ms } as RequestClock }, 200)
  const totals = () => slow.list().map(({ totalMs }) => totalMs)
  for (let ms = 1; ms <= 150; ms++) add((ms * 7) % 151)
  expect(totals()).toEqual(Array.from({ length: 100 }, (_, i) => 150 - i))
  clock.now += HOUR_MS
  expect(totals()).toEqual([])
  add(1)
  add(2)
  expect(totals()).toEqual([2, 1])
})
