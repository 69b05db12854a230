// The graph for programs, asked by handle and by the address of a page: answered as by DID.

import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import type { Asker } from '../../../../src/features/timelines/http/access.ts'
import { readNamesByDid } from '../../../../src/features/timelines/http/graph-names.ts'
import { addGraphRoutes } from '../../../../src/features/timelines/http/graph-routes.ts'
import { createLineStreams } from '../../../../src/features/timelines/http/ndjson.ts'
import { networkGraph } from '../../../../src/features/timelines/sources/graph-source.ts'
import { createCursors } from '../../../../src/features/timelines/sources/signed-cursor.ts'
import type { Connected } from '../../../../src/http/server/http-request.ts'
import { createResponding } from '../../../../src/http/server/respond.ts'
import { UnansweredError } from '../../../../src/sources/identity/fetch-identity.ts'
import { didOf } from '../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'

const [alice, bob] = [didOf('alice'), didOf('bob')]
const GONE = 'unanswered.example.org'

let world: ServingWorld
let server: ReturnType<typeof serve>
afterEach(async () => {
  await new Promise((done) => server.close(done))
  world.dispose()
})

/** Alice's handle is known here, bob's is looked up. */
async function start() {
  const looked: string[] = []
  const resolver = {
    resolve: async () => undefined,
    async resolveHandle(handle: string) {
      looked.push(handle)
      if (handle === GONE) throw new UnansweredError('no answer')
      return handle === 'bob.example.org' ? bob : undefined
    },
  }
  world = createServingWorld({ members: ['alice'], resolver })
  world.profile(alice, { displayName: 'alice' })
  world.handle(alice, 'alice.example.org')
  for (const name of ['bob', 'carol']) world.follow(alice, didOf(name))
  const asker = { caller: { who: alice }, may: () => true, isStillWelcome: () => true }
  const onBroken = (error: unknown) => {
    throw error
  }
  const { respondTo: respond } = createResponding({
    overload: { chargeFailure: () => undefined },
    log: pino({ level: 'silent' }),
    onBroken,
  })
  const app = new Hono<{ Bindings: Connected }>()
  addGraphRoutes(
    app,
    {
      db: world.db,
      cursors: createCursors(() => [{ id: 1, key: Buffer.alloc(32) }] as never),
      access: async () => asker as unknown as Asker,
      overload: { run: (_, { run }) => run() },
      respond,
      lines: createLineStreams(onBroken),
    },
    {
      path: '/graph',
      scopeOf: () => 'read',
      open: () => networkGraph(world.app),
      readNames: readNamesByDid(world.app),
    },
  )
  server = serve({ fetch: app.fetch, port: 0 })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${origin}/graph/${path}`, init)
    return { status: response.status, text: await response.text() }
  }
  return { ask, looked }
}

const FORMS: [string, string][] = [
  ['alice.example.org', 'BOB.example.org'],
  ['@alice.example.org', 'https://bsky.app/profile/bob.example.org'],
]
const QUERIES: [string, (value: string, other: string) => string][] = [
  ['follows', (value) => `follows?actor=${value}`],
  ['followers', (_, other) => `followers?actor=${other}`],
  ['counts', (first, other) => `counts?actor=${first}&actor=${other}`],
  ['intersection', (first, other) => `intersection?set=follows:${first}&set=followers:${other}`],
]

test.each(QUERIES)('%s', async (_, query) => {
  const { ask, looked } = await start()
  const lines = { headers: { accept: 'application/x-ndjson' } }
  for (const init of [undefined, lines]) {
    const byDid = await ask(query(alice, bob), init)
    expect(byDid.status).toBe(200)
    for (const form of FORMS) {
      const [first, other] = form.map(encodeURIComponent) as [string, string]
      expect(await ask(query(first, other), init)).toEqual(byDid)
    }
  }
  expect(new Set(looked).size).toBeLessThanOrEqual(1)
})

test('pairs', async () => {
  const { ask } = await start()
  for (const [first, other] of [[alice, bob] as const, ...FORMS]) {
    const body = JSON.stringify({ pairs: [[first, other]] })
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
    const { text } = await ask('contains', init)
    expect(JSON.parse(text)).toEqual({ results: [true] })
  }
})

test('a handle of nobody is refused, one whose servers do not answer for now', async () => {
  const { ask } = await start()
  expect(await ask('follows?actor=nobody.example.org')).toMatchObject({ status: 400 })
  expect(await ask(`follows?actor=${GONE}`)).toMatchObject({ status: 503 })
  const many = Array.from({ length: 30 }, (_, i) => `actor=x${i}.example.org`).join('&')
  expect((await ask(`counts?${many}`)).status).toBe(503)
  expect((await ask('follows?actor=alice')).status).toBe(400)
  expect((await ask(`follows?actor=at://${alice}/app.bsky.feed.post/3k`)).status).toBe(400)
})
