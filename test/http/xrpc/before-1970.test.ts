// Records that claim to be from before 1970, as imports of old letters and archives make them, keep their date
// and their order.

import { afterEach, expect, test } from 'vitest'
import { didOf } from '../../support/records.ts'
import { searchable } from '../../support/searching.ts'
import { allPages, createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

type Item = { post: { uri: string; indexedAt: string }; reason?: { indexedAt: string } }
type Feed = { feed: Item[]; cursor?: string }

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]
const TIMES = [
  '2026-01-02T00:00:00.000Z',
  '1970-01-01T00:00:00.001Z',
  '1970-01-01T00:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '1969-07-20T20:17:40.000Z',
  '1969-07-20T20:17:40.000Z',
  '1776-07-04T00:00:00.000Z',
  '1665-09-02T00:00:00.000Z',
  '0079-08-24T12:00:00.000Z',
]

let world: ServingWorld
afterEach(() => world.dispose())

function fill(): void {
  world = createServingWorld({ members: ['alice'], scope: 'network' })
  world.follow(alice, bob)
  const mixed = [4, 0, 7, 2, 8, 5, 1, 6, 3]
  for (const i of mixed) world.post(bob, { text: `letter ${i}`, createdAt: TIMES[i]! })
}

const timesOf = ({ feed }: Feed) =>
  feed.map(({ post, reason }) => reason?.indexedAt ?? post.indexedAt)

async function expectInOrder(nsid: string, query: object, viewer?: string): Promise<void> {
  for (const limit of [1, 2, 3, 50]) {
    const read = (cursor: string | undefined) =>
      world.get<Feed>(nsid, { ...query, limit, cursor }, viewer)
    expect(await allPages(read, timesOf)).toEqual(TIMES)
  }
}

test.each([true, false])('in the timeline (open ring: %s)', async (isOpen) => {
  fill()
  if (!isOpen) world.timelines.close(world.uid(alice))
  await expectInOrder('app.bsky.feed.getTimeline', {}, alice)
})

test('in an author feed and a list feed', async () => {
  fill()
  await expectInOrder('app.bsky.feed.getAuthorFeed', { actor: bob })
  const list = world.create(alice, 'app.bsky.graph.list', {
    purpose: 'app.bsky.graph.defs#curatelist',
    name: 'letters',
    createdAt: TIMES[0],
  })
  const item = { subject: bob, list: list.uri, createdAt: TIMES[0] }
  world.create(alice, 'app.bsky.graph.listitem', item)
  await expectInOrder('app.bsky.feed.getListFeed', { list: list.uri }, alice)
})

test('in a search', async () => {
  fill()
  searchable(world)
  type Found = { posts: { indexedAt: string }[]; cursor?: string }
  for (const limit of [1, 2, 50]) {
    const read = (cursor: string | undefined) => {
      const query = { q: 'letter', sort: 'latest', limit, cursor }
      return world.get<Found>('app.bsky.feed.searchPosts', query, alice)
    }
    const found = await allPages(read, ({ posts }) => posts.map(({ indexedAt }) => indexedAt))
    expect(found).toEqual(TIMES)
  }
})

test('as reposts', async () => {
  world = createServingWorld({ members: ['alice'], scope: 'network' })
  world.follow(alice, bob)
  for (const createdAt of TIMES) {
    world.create(bob, 'app.bsky.feed.repost', { subject: world.post(carol), createdAt })
  }
  await expectInOrder('app.bsky.feed.getAuthorFeed', { actor: bob })
  await expectInOrder('app.bsky.feed.getTimeline', {}, alice)
})

/** Distinct, so that only the time decides. */
const DISTINCT = TIMES.filter((time, i) => TIMES.indexOf(time) === i)
const PEOPLE = DISTINCT.map((_, i) => didOf(`person${i}`))
const MIXED = [4, 0, 6, 2, 7, 1, 5, 3]

/** Reads all pages at several limits, and expects all people of `PEOPLE` in order each time. */
async function expectPeople<T>(
  nsid: string,
  query: object,
  { didsOf, viewer }: { didsOf: (page: T) => string[]; viewer?: string },
): Promise<void> {
  for (const limit of [1, 2, 3, 50]) {
    const read = (cursor: string | undefined) =>
      world.get<T & { cursor?: string }>(nsid, { ...query, limit, cursor }, viewer)
    expect(await allPages(read, didsOf)).toEqual(PEOPLE)
  }
}

type Actor = { did: string }

test('as likes, with their date, and by the account that likes', async () => {
  world = createServingWorld({ members: ['alice'], scope: 'network' })
  const subject = world.post(carol)
  const posts = PEOPLE.map((did) => world.post(did))
  for (const i of MIXED) {
    const createdAt = DISTINCT[i]!
    world.create(PEOPLE[i]!, 'app.bsky.feed.like', { subject, createdAt })
    world.create(alice, 'app.bsky.feed.like', { subject: posts[i], createdAt })
  }
  type Likes = { likes: { actor: Actor; createdAt: string }[] }
  const didsOf = ({ likes }: Likes) => likes.map(({ actor }) => actor.did)
  await expectPeople('app.bsky.feed.getLikes', { uri: subject.uri }, { didsOf })
  const { likes } = await world.get<Likes>('app.bsky.feed.getLikes', { uri: subject.uri })
  expect(likes.map(({ createdAt }) => createdAt)).toEqual(DISTINCT)
  const authorsOf = ({ feed }: { feed: { post: { author: Actor } }[] }) =>
    feed.map(({ post }) => post.author.did)
  const own = { didsOf: authorsOf, viewer: alice }
  await expectPeople('app.bsky.feed.getActorLikes', { actor: alice }, own)
})

test('as follows and blocks, in both directions', async () => {
  world = createServingWorld({ members: ['alice'], scope: 'network' })
  for (const i of MIXED) {
    const createdAt = DISTINCT[i]!
    const did = PEOPLE[i]!
    world.post(did)
    world.create(did, 'app.bsky.graph.follow', { subject: carol, createdAt })
    world.create(carol, 'app.bsky.graph.follow', { subject: did, createdAt })
    world.create(alice, 'app.bsky.graph.block', { subject: did, createdAt })
  }
  const all = (field: string) => (page: Record<string, unknown>) =>
    (page[field] as Actor[]).map(({ did }) => did)
  const of = { actor: carol }
  await expectPeople('app.bsky.graph.getFollowers', of, { didsOf: all('followers') })
  await expectPeople('app.bsky.graph.getFollows', of, { didsOf: all('follows') })
  await expectPeople('app.bsky.graph.getBlocks', {}, { didsOf: all('blocks'), viewer: alice })
})

test('as list items', async () => {
  world = createServingWorld({ members: ['alice'], scope: 'network' })
  const purpose = 'app.bsky.graph.defs#curatelist'
  const of = { purpose, name: 'ancients', createdAt: TIMES[8] }
  const list = world.create(carol, 'app.bsky.graph.list', of)
  for (const i of MIXED) {
    world.post(PEOPLE[i]!)
    const item = { subject: PEOPLE[i], list: list.uri, createdAt: DISTINCT[i] }
    world.create(carol, 'app.bsky.graph.listitem', item)
  }
  type Page = { items: { subject: Actor }[]; list: { indexedAt: string } }
  const didsOf = ({ items }: Page) => items.map(({ subject }) => subject.did)
  await expectPeople('app.bsky.graph.getList', { list: list.uri }, { didsOf })
  const page = await world.get<Page>('app.bsky.graph.getList', { list: list.uri })
  expect(page.list.indexedAt).toBe(TIMES[8])
})
