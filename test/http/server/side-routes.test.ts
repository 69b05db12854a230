// What pages cost an address: a request has a price beyond its measured turn, so that many cheap ones buy no
// more of the thread than few dear ones.

import type { IncomingMessage } from 'node:http'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { createOverload } from '../../../src/http/overload/overload.ts'
import { createRateBuffers } from '../../../src/http/overload/rate-limits.ts'
import { createServer } from '../../../src/http/server/server.ts'

const from = (remoteAddress: string) =>
  ({ incoming: { socket: { remoteAddress } } as unknown as IncomingMessage }) as const

/** A page that takes `ms` of the thread. */
function serve(ms: number) {
  let nowMs = 0
  const config = loadConfig({}, '/nowhere/.env')
  const app = new Hono().get('/', (c) => {
    nowMs += ms
    return c.text('a page')
  })
  return createServer({
    config,
    overload: createOverload({ config, buffers: createRateBuffers(), clock: () => nowMs }),
    methods: [],
    serviceAuth: { verify: () => Promise.reject(new Error('nobody')) },
    health: () => ({ ok: true, version: '1' }),
    log: { debug() {}, error() {}, fatal() {} },
    sideRoutes: [{ path: '/page', app, charges: [{ points: 1, from: 'pages' }] }],
  })
}

/** How many pages an address gets before it is refused. */
async function pagesOf(server: ReturnType<typeof serve>, address: string): Promise<number> {
  for (let pages = 0; ; pages++) {
    const { status } = await server.fetch(new Request('http://host/page'), from(address))
    if (status === 429) return pages
    expect(status).toBe(200)
  }
}

test.each([
  ['cheap', 0, 1_500],
  ['usual', 1, 280],
  ['dear', 50, 6],
])('of %s pages, an address gets for 0.3 s of the thread', async (_, ms, most) => {
  const server = serve(ms)
  const pages = await pagesOf(server, '203.0.113.1')
  expect(pages).toBeGreaterThan(most / 2)
  expect(pages).toBeLessThanOrEqual(most)
  // Another address has its own.
  expect(await pagesOf(server, '203.0.113.2')).toBe(pages)
})
