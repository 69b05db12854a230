// A request's time to wait for other servers counts from its arrival, on a server with a socket: the time
// spent looking up the caller is not available for later waits.

import { afterEach, expect, test, vi } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { createServer, type Server } from '../../../src/http/server/server.ts'
import { waitLeftMs } from '../../../src/http/server/wait-left.ts'
import type { ServiceAuth } from '../../../src/sources/identity/service-jwt.ts'
import { trustingAuth } from '../../support/trusting-auth.ts'

const NSID = 'app.bsky.feed.getTimeline'
const FOR_POSTS_MS = 6_500
const FOR_ALL_MS = 7_500

let server: Server | undefined
afterEach(async () => {
  vi.restoreAllMocks()
  await server?.close()
  server = undefined
})

/** @returns the time left for the first wait, and for the second, which has more */
async function leftAfter(times: { lookUpMs: number; firstMs: number }): Promise<number[]> {
  let at = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => at)
  const left: number[] = []
  const verify: ServiceAuth['verify'] = (...token) => {
    at += times.lookUpMs
    return trustingAuth.verify(...token)
  }
  server = createServer({
    config: { ...loadConfig({}, '/nowhere/.env'), port: 0 },
    methods: [
      {
        nsid: NSID,
        kind: 'query',
        auth: 'required',
        async ready({ signal }) {
          left.push(waitLeftMs(signal, FOR_POSTS_MS, at))
          at += times.firstMs
          left.push(waitLeftMs(signal, FOR_ALL_MS, at))
        },
        handler: () => ({ body: { feed: [] } }),
      },
    ],
    serviceAuth: { verify },
    health: () => ({ ok: true, version: 'test' }),
    log: { debug() {}, error() {}, fatal() {} } as never,
  })
  const { port } = await server.listen()
  const headers = { authorization: 'Bearer did:plc:alice' }
  const answer = await fetch(`http://127.0.0.1:${port}/xrpc/${NSID}`, { headers })
  expect(answer.status).toBe(200)
  return left
}

test('without a look-up, each wait has its own time', async () => {
  expect(await leftAfter({ lookUpMs: 0, firstMs: 2_000 })).toEqual([6_500, 5_500])
})

test('the time of the caller’s look-up is subtracted from later waits', async () => {
  expect(await leftAfter({ lookUpMs: 5_000, firstMs: 1_000 })).toEqual([2_500, 1_500])
})

test('after a look-up as long as all waits, none remain', async () => {
  expect(await leftAfter({ lookUpMs: 9_000, firstMs: 0 })).toEqual([0, 0])
})
