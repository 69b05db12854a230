// Visitors that have us ask PDSs and the PLC directory without end: members and the background keep most of
// what these servers allow. Over real sockets, with the default limits on requests.

import { afterEach, expect, test } from 'vitest'
import { createCountBuffer } from '../../../../src/data/shared-memory/count-table.ts'
import { createQuotas } from '../../../../src/sources/quota.ts'
import { alice, ENOUGH, FLOODS, flood, servingFloods } from '../../../support/flooding-visitors.ts'
import { didOf } from '../../../support/records.ts'
import { createServingWorld } from '../../../support/serving-world.ts'

const RECORD = 'com.atproto.repo.getRecord'
const RESOLVE = 'com.atproto.identity.resolveHandle'

const { serve, stop } = servingFloods()
afterEach(stop)
const bob = didOf('bob')

test('three visitors leave members their records at a PDS', async () => {
  const hosts: string[] = []
  const world = createServingWorld({
    scope: 'network',
    members: ['alice'],
    quotas: createQuotas(createCountBuffer()),
    async fetch(url) {
      hosts.push(new URL(url).host)
      return { status: 400, headers: new Headers(), body: Buffer.from('{}'), url }
    },
  })
  world.profile(bob, { displayName: 'Bob' })
  world.handle(bob, 'bob.test', 'https://pds.example')
  const ask = await serve(world)
  const path = (i: number) => `${RECORD}?repo=${bob}&collection=a.b.c&rkey=${i}`
  const statuses = await flood(ask, path)
  expect(statuses.has(429)).toBe(true)
  expect(hosts.length).toBeGreaterThan(ENOUGH)
  expect(hosts.length).toBeLessThanOrEqual(3_000 / 4)
  const before = hosts.length
  for (let i = 0; i < ENOUGH; i++) expect(await ask(path(FLOODS + i), alice)).toBe(400)
  expect(hosts).toHaveLength(before + ENOUGH)
})

test('three visitors leave members their feeds at a generator', async () => {
  let requested = 0
  const service = didOf('generator')
  const endpoint = 'https://feeds.example'
  const world = createServingWorld({
    scope: 'network',
    members: ['alice'],
    quotas: createQuotas(createCountBuffer()),
    services: { [service]: [{ id: '#bsky_fg', type: 'BskyFeedGenerator', endpoint }] },
    async fetch(url) {
      requested++
      return { status: 200, headers: new Headers(), body: Buffer.from('{"feed":[]}'), url }
    },
  })
  const feed = world.create(
    bob,
    'app.bsky.feed.generator',
    { did: service, displayName: 'cats', createdAt: '2026-01-01T00:00:00.000Z' },
    'cats',
  )
  const ask = await serve(world)
  const path = () => `app.bsky.feed.getFeed?feed=${feed.uri}`
  const statuses = await flood(ask, path)
  expect([...statuses]).toEqual([200, 429])
  expect(requested).toBeGreaterThan(ENOUGH)
  expect(requested).toBeLessThanOrEqual(3_000 / 4)
  const before = requested
  for (let i = 0; i < ENOUGH; i++) expect(await ask(path(), alice)).toBe(200)
  expect(requested).toBe(before + ENOUGH)
})

test.each([
  ['app.bsky.actor.getProfile', (name: string) => `actor=${name}`],
  [
    'app.bsky.feed.getPosts',
    (name: string) => `uris=at://${name}/app.bsky.feed.post/3jzfcijpj2z2a`,
  ],
  ['app.bsky.feed.searchPosts', (name: string) => `q=from:${name}`],
  [RESOLVE, (name: string) => `handle=${name}`],
])('three visitors leave members the handles of a domain, by %s', async (nsid, queryOf) => {
  const world = createServingWorld({
    scope: 'network',
    members: ['alice'],
    quotas: createQuotas(createCountBuffer()),
  })
  const ask = await serve(world)
  const path = (i: number) => `${nsid}?${queryOf(`h${i}.example.com`)}`
  const statuses = await flood(ask, path)
  const { looked } = world
  expect(statuses.has(429)).toBe(true)
  expect(looked.length).toBeGreaterThan(ENOUGH)
  expect(looked.length).toBeLessThanOrEqual(3_000 / 4)
  // It takes no token.
  if (nsid === RESOLVE) return
  const before = looked.length
  for (let i = 0; i < ENOUGH; i++) await ask(path(FLOODS + i), alice)
  expect(looked).toHaveLength(before + ENOUGH)
})

test('a search for an account beyond a caller’s share finds what is here', async () => {
  const world = createServingWorld({
    scope: 'network',
    members: ['alice'],
    quotas: createQuotas(createCountBuffer()),
  })
  const ask = await serve(world)
  const path = (i: number) => `app.bsky.actor.searchActors?q=h${i}.example.com`
  const statuses = new Set<number>()
  for (let i = 0; i < 400; i++) statuses.add(await ask(path(i), alice))
  expect([...statuses]).toEqual([200])
  expect(world.looked.length).toBeLessThan(400)
})
