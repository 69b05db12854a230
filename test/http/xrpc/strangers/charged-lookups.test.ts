// What a call looks up at a directory or at a handle's servers is charged to it: two milliseconds each, since neither
// the connection nor reading the answer is in a turn of the call. No other time passes here.

import { afterEach, expect, test } from 'vitest'
import { servingFloods } from '../../../support/flooding-visitors.ts'
import { didOf } from '../../../support/records.ts'
import {
  createServingWorld,
  type Query,
  type ServingOptions,
  type ServingWorld,
} from '../../../support/serving-world.ts'

const LOOKUP_MS = 2
const [alice, bob, eve, mallory] = ['alice', 'bob', 'eve', 'mallory'].map(didOf) as [
  string,
  string,
  string,
  string,
]

let world: ServingWorld | undefined
const { serve, stop } = servingFloods()
afterEach(async () => {
  await stop()
  world?.dispose()
})

function start(options: ServingOptions = {}) {
  const used = { ms: 0 }
  const w = createServingWorld({
    scope: 'network',
    members: ['alice'],
    ...options,
    onMemberTime: (_, ms) => {
      used.ms += ms
    },
  })
  world = w
  return { w, used }
}

const record = (name: string) => `at://${name}/app.bsky.feed.post/3jzfcijpj2z2a`
const handles = ['a.one.test', 'b.two.test', 'c.three.test']

test.each<[string, string, Query, number]>([
  ['a handle', 'app.bsky.actor.getProfile', { actor: handles[0] }, 1],
  ['several handles', 'app.bsky.actor.getProfiles', { actors: handles }, 3],
  ['handles in at-URIs', 'app.bsky.feed.getPosts', { uris: handles.map(record) }, 3],
  ['a handle in a search', 'app.bsky.feed.searchPosts', { q: `from:${handles[0]}` }, 1],
  ['accounts unknown here', 'app.bsky.feed.getPosts', { uris: [eve, mallory].map(record) }, 2],
])('%s', async (_, nsid, query, lookups) => {
  const { w, used } = start({ scope: 'community' })
  await w.ask(nsid, query, alice)
  expect(used.ms).toBe(lookups * LOOKUP_MS)
  await w.ask(nsid, query, alice)
  expect(used.ms).toBe(lookups * LOOKUP_MS)
})

test('the service that makes a feed, and the page it is asked for', async () => {
  const service = didOf('generator')
  const endpoint = 'https://feeds.example'
  const { w, used } = start({
    services: { [service]: [{ id: '#bsky_fg', type: 'BskyFeedGenerator', endpoint }] },
    fetch: async (url) => ({
      status: 200,
      headers: new Headers(),
      body: Buffer.from('{"feed":[]}'),
      url,
    }),
  })
  const value = { did: service, displayName: 'cats', createdAt: '2026-01-01T00:00:00.000Z' }
  const feed = w.create(bob, 'app.bsky.feed.generator', value, 'cats')
  await w.ask('app.bsky.feed.getFeed', { feed: feed.uri }, alice)
  expect(used.ms).toBeCloseTo(2 * LOOKUP_MS, 1)
})

test('an account that is muted', async () => {
  const { w, used } = start()
  await w.tell('app.bsky.graph.muteActor', { actor: eve }, alice)
  expect(used.ms).toBe(LOOKUP_MS)
})

test('a visitor’s accounts between whom nothing is known', async () => {
  const { w } = start({ scope: 'community' })
  const ask = await serve(w)
  const statuses: number[] = []
  while (statuses.length < 200 && statuses.at(-1) !== 429) {
    const others = Array.from({ length: 24 }, (_, i) => didOf(`${statuses.length} and ${i}`))
    const query = others.map((did) => `&others=${did}`).join('')
    const path = `app.bsky.graph.getRelationships?actor=${eve}${query}`
    statuses.push(await ask(path, { 'x-forwarded-for': '192.0.2.1' }))
  }
  expect(statuses.at(-1)).toBe(429)
})
