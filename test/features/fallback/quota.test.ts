// Visitors that flood a server whose public AppView limits it: members keep their counts of strangers, and
// visitors are answered from our own data. Over real sockets, with the default limits on requests.

import { afterEach, expect, test } from 'vitest'
import { loadConfig } from '../../../src/base/config/config.ts'
import { createServer, type Server } from '../../../src/http/server/server.ts'
import { trustingAuth } from '../../support/trusting-auth.ts'
import { alice, createTwoWorlds, eve, fans } from './two-worlds.ts'

const TYPEAHEAD = 'app.bsky.actor.searchActorsTypeahead'
const PROFILE = 'app.bsky.actor.getProfile'

let server: Server | undefined
afterEach(async () => {
  await server?.close()
})

test('three flooding visitors leave members their counts', async () => {
  const floods = 3_016
  const { here, double } = await createTwoWorlds(() => undefined)
  double.answer(TYPEAHEAD, { actors: [] })
  double.allow(3_000)
  server = createServer({
    config: { ...loadConfig({}, '/nonexistent/.env'), port: 0, trustedProxies: ['127.0.0.1/32'] },
    methods: here.methods,
    serviceAuth: trustingAuth,
    health: () => ({ ok: true, version: '1' }),
    log: { debug() {}, error() {}, fatal() {} },
  })
  const { port } = await server.listen()
  const ask = (path: string, headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${port}/xrpc/${path}`, { headers })

  const statuses = new Set<number>()
  for (let i = 0; i < floods; i += 6) {
    const some = Array.from({ length: Math.min(6, floods - i) }, async (_, k) => {
      const visitor = `192.0.2.${1 + ((i + k) % 3)}`
      const response = await ask(`${TYPEAHEAD}?q=odd${i + k}`, { 'x-forwarded-for': visitor })
      await response.arrayBuffer()
      statuses.add(response.status)
    })
    await Promise.all(some)
  }
  // A busy machine may put visitors off for a moment.
  statuses.delete(503)
  expect([...statuses]).toEqual([200])
  const requested = double.askedFor(TYPEAHEAD).length
  expect(requested).toBeGreaterThan(10)
  expect(requested).toBeLessThanOrEqual(3_000 / 4)

  for (const did of [eve, ...fans]) {
    const response = await ask(`${PROFILE}?actor=${did}`, { authorization: `Bearer ${alice}` })
    const followersCount = did === eve ? 9 : 0
    expect(await response.json()).toMatchObject({ did, followersCount })
  }
  expect(double.askedFor(PROFILE)).toHaveLength(1 + fans.length)
})
