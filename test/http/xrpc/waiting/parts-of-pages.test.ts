// What is chosen elsewhere, found by a search, named one by one or tried before it is shown is made some items a
// turn, with the same answer: generators, searches and members choose the largest items there are.

import { expect, onTestFinished, test } from 'vitest'
import { createFeedGeneratorDouble } from '../../../support/feed-generator-double.ts'
import { didOf } from '../../../support/records.ts'
import { searchable } from '../../../support/searching.ts'
import { createServingWorld, type ServingOptions } from '../../../support/serving-world.ts'

const [alice, bob] = [didOf('alice'), didOf('bob')]
const COUNT = 90
/** A page of so many has at least four parts; sockets are read in turns of their own. */
const TURNS = 2

function start(options: ServingOptions = {}) {
  let clockMs = 0
  let tickMs = 0
  const w = createServingWorld({
    scope: 'network',
    members: ['alice'],
    threadMs: () => (clockMs += tickMs),
    ...options,
  })
  onTestFinished(() => w.dispose())
  for (const did of [alice, bob]) w.profile(did, { displayName: 'wordy' })
  /** Asks twice, the second time as if each look at the clock found a turn over. */
  async function requested<T>(nsid: string, query: Record<string, string | number | string[]>) {
    const ask = () => w.get<T>(nsid, query, alice)
    await ask()
    const plain = await counted(ask)
    tickMs = 30
    const hurried = await counted(ask)
    tickMs = 0
    return { answer: hurried.answer, plain: plain.answer, turns: hurried.turns - plain.turns }
  }
  return { w, asked: requested }
}

async function counted<T>(ask: () => Promise<T>): Promise<{ answer: T; turns: number }> {
  let turns = 0
  let isOver = false
  const next = () => {
    turns++
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  const answer = await ask()
  isOver = true
  return { answer, turns }
}

type Feed = { feed: object[] }

test('the choices of a feed generator', async () => {
  const double = createFeedGeneratorDouble()
  const { w, asked: requested } = start({
    fetch: double.fetch,
    services: { [double.did]: double.services },
  })
  const posts = Array.from({ length: COUNT }, (_, i) => w.post(bob, `post ${i}`))
  const record = { did: double.did, displayName: 'Long', createdAt: w.isoNow() }
  const feed = w.write({ did: bob, collection: 'app.bsky.feed.generator', record, rkey: 'long' })
  const reason = { $type: 'app.bsky.feed.defs#skeletonReasonPin' }
  const pinned = { post: posts[0]!.uri, reason }
  double.says({ body: { feed: [pinned, ...posts.slice(1).map(({ uri }) => ({ post: uri }))] } })
  const query = { feed: feed.uri, limit: COUNT }
  const { answer, plain, turns } = await requested<Feed>('app.bsky.feed.getFeed', query)
  expect(answer).toEqual(plain)
  expect(answer.feed).toHaveLength(COUNT)
  expect(answer.feed[0]).toMatchObject({ reason: { $type: 'app.bsky.feed.defs#reasonPin' } })
  expect(turns).toBeGreaterThan(TURNS)
})

test('what stands in for Discover', async () => {
  const { w, asked: requested } = start()
  w.follow(alice, bob)
  for (let i = 0; i < COUNT; i++) w.post(bob, `post ${i}`)
  const feed = 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot'
  const { answer, plain, turns } = await requested<Feed>('app.bsky.feed.getFeed', {
    feed,
    limit: COUNT,
  })
  expect(answer).toEqual(plain)
  expect(answer.feed).toHaveLength(COUNT)
  expect(turns).toBeGreaterThan(TURNS)
})

test.each(['app.bsky.feed.searchPosts', 'app.bsky.feed.searchPostsV2'])(
  'posts that a search finds: %s',
  async (nsid) => {
    const { w, asked: requested } = start()
    for (let i = 0; i < COUNT; i++) w.post(bob, `wordy post ${i}`)
    searchable(w)
    const name = nsid.endsWith('V2') ? 'query' : 'q'
    type Found = { posts: object[] }
    const { answer, plain, turns } = await requested<Found>(nsid, { [name]: 'wordy', limit: COUNT })
    expect(answer.posts).toEqual(plain.posts)
    expect(answer.posts).toHaveLength(COUNT)
    expect(turns).toBeGreaterThan(TURNS)
  },
)

test.each(['app.bsky.actor.searchActors', 'app.bsky.actor.searchActorsTypeahead'])(
  'accounts that a search finds: %s',
  async (nsid) => {
    const { w, asked: requested } = start()
    for (let i = 0; i < COUNT; i++) {
      w.profile(didOf(`one ${i}`), { displayName: `wordy ${i}` })
      w.handle(didOf(`one ${i}`), `one${i}.test`)
    }
    searchable(w)
    type Found = { actors: object[] }
    const { answer, plain, turns } = await requested<Found>(nsid, { q: 'wordy', limit: COUNT })
    expect(answer).toEqual(plain)
    expect(answer.actors).toHaveLength(COUNT)
    expect(turns).toBeGreaterThan(TURNS)
  },
)

test('posts that are named', async () => {
  const { w, asked: requested } = start()
  const uris = Array.from({ length: 25 }, (_, i) => w.post(bob, `post ${i}`).uri)
  const { answer, plain, turns } = await requested<{ posts: object[] }>('app.bsky.feed.getPosts', {
    uris,
  })
  expect(answer).toEqual(plain)
  expect(answer.posts).toHaveLength(uris.length)
  expect(turns).toBeGreaterThan(0)
})

test('the lists of a list’s feed', async () => {
  const { w, asked: requested } = start()
  const list = w.list(bob, 'many')
  for (let i = 0; i < COUNT; i++) {
    w.listItem(bob, list, didOf(`one ${i}`))
    w.post(didOf(`one ${i}`), `post ${i}`)
  }
  const query = { list: list.uri, limit: COUNT }
  const { answer, plain, turns } = await requested<Feed>('app.bsky.feed.getListFeed', query)
  expect(answer).toEqual(plain)
  expect(answer.feed).toHaveLength(COUNT)
  expect(turns).toBeGreaterThan(COUNT)
})
