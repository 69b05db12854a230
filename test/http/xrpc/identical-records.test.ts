// Records of the same content and time are identical, so they share their CID, whether in two repositories or
// under two keys of one. No page loses one of them, however small it is.

import { afterEach, expect, test } from 'vitest'
import { didOf } from '../../support/records.ts'
import { searchable } from '../../support/searching.ts'
import { allPages, createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

type Made = { uri: string; cid: string }
type Feed = { feed: { post: { uri: string }; reason?: { uri?: string } }[]; cursor?: string }

const [alice, bob, carol, dan] = ['alice', 'bob', 'carol', 'dan'].map(didOf) as [
  string,
  string,
  string,
  string,
]
const AT = '2026-03-01T12:00:00.000Z'

let world: ServingWorld
afterEach(() => world.dispose())

/** Creates one record per account named, all with the CID of the first. */
function identical(accounts: string[], collection: string, record: object): Made[] {
  const held = accounts.map((did) => {
    let made: Made | undefined
    const [event] = world.hold(() => {
      made = world.create(did, collection, { ...record, createdAt: AT })
    })
    return { event: event as { cid: string }, made: made! }
  })
  const { cid } = held[0]!.event
  world.apply(held.map(({ event }) => ({ ...event, cid }) as never))
  return held.map(({ made }) => made)
}

const itemsOf = ({ feed }: Feed) => feed.map(({ post, reason }) => reason?.uri ?? post.uri)
const uris = (made: Made[]) => made.map(({ uri }) => uri).sort()

async function expectAll(nsid: string, query: object, expected: Made[], viewer = alice) {
  for (const limit of [1, 2, 3, 10]) {
    const read = (cursor: string | undefined) =>
      world.get<Feed>(nsid, { ...query, limit, cursor }, viewer)
    expect((await allPages(read, itemsOf)).sort()).toEqual(uris(expected))
  }
}

test('reposts of one post, in an author feed and in the timeline', async () => {
  world = createServingWorld({ members: ['alice'], scope: 'network' })
  for (const did of [bob, carol]) world.follow(alice, did)
  const subject = world.post(dan)
  const reposts = identical([bob, bob, bob, carol, bob], 'app.bsky.feed.repost', { subject })
  const ofBob = reposts.filter(({ uri }) => uri.includes(bob))
  await expectAll('app.bsky.feed.getAuthorFeed', { actor: bob }, ofBob)
  await expectAll('app.bsky.feed.getTimeline', {}, reposts)
})

test('posts, in a list feed and in a search', async () => {
  world = createServingWorld({ members: ['alice'], scope: 'network' })
  const posts = identical([bob, carol, dan, bob, bob], 'app.bsky.feed.post', { text: 'sameness' })
  const list = world.create(alice, 'app.bsky.graph.list', {
    purpose: 'app.bsky.graph.defs#curatelist',
    name: 'all',
    createdAt: AT,
  })
  for (const subject of [bob, carol, dan]) {
    world.create(alice, 'app.bsky.graph.listitem', { subject, list: list.uri, createdAt: AT })
  }
  await expectAll('app.bsky.feed.getListFeed', { list: list.uri }, posts)
  searchable(world)
  type Found = { posts: { uri: string }[]; cursor?: string }
  for (const limit of [1, 2, 10]) {
    const search = { q: 'sameness', sort: 'latest', limit }
    const read = (cursor: string | undefined) =>
      world.get<Found>('app.bsky.feed.searchPosts', { ...search, cursor }, alice)
    const found = await allPages(read, (page) => page.posts.map(({ uri }) => uri))
    expect(found.sort()).toEqual(uris(posts))
  }
})

test('lists and feed generators of one account', async () => {
  world = createServingWorld({ members: ['alice'], scope: 'network' })
  const lists = identical([alice, alice, alice], 'app.bsky.graph.list', {
    purpose: 'app.bsky.graph.defs#curatelist',
    name: 'same',
  })
  const feeds = identical([alice, alice, alice], 'app.bsky.feed.generator', {
    did: 'did:web:feeds.example.org',
    displayName: 'same',
  })
  for (const limit of [1, 2, 10]) {
    const read = (nsid: string, field: string) =>
      allPages<{ cursor?: string }, string>(
        (cursor) => world.get(nsid, { actor: alice, limit, cursor }, alice),
        (page) => (page as never as Record<string, Made[]>)[field]!.map(({ uri }) => uri),
      )
    expect((await read('app.bsky.graph.getLists', 'lists')).sort()).toEqual(uris(lists))
    expect((await read('app.bsky.feed.getActorFeeds', 'feeds')).sort()).toEqual(uris(feeds))
  }
})
