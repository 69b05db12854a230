// Posts and reposts that claim to be from before 1970, as imports of old letters and archives make them, keep
// their date and their order.

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

test('as reposts; and likes, follows and blocks count as of 1970', async () => {
  world = createServingWorld({ members: ['alice'], scope: 'network' })
  world.follow(alice, bob)
  const subject = world.post(carol)
  for (const createdAt of TIMES) {
    world.create(bob, 'app.bsky.feed.repost', { subject: world.post(carol), createdAt })
  }
  await expectInOrder('app.bsky.feed.getAuthorFeed', { actor: bob })
  await expectInOrder('app.bsky.feed.getTimeline', {}, alice)
  const old = { createdAt: TIMES[7] }
  world.create(bob, 'app.bsky.feed.like', { subject, ...old })
  world.create(bob, 'app.bsky.graph.follow', { subject: carol, ...old })
  type Likes = { likes: { actor: { did: string }; createdAt: string }[] }
  const { likes } = await world.get<Likes>('app.bsky.feed.getLikes', { uri: subject.uri })
  expect(likes.map(({ actor, createdAt }) => [actor.did, createdAt])).toEqual([
    [bob, '1970-01-01T00:00:00.000Z'],
  ])
  type Followers = { followers: { did: string }[] }
  const list = await world.get<Followers>('app.bsky.graph.getFollowers', { actor: carol })
  expect(list.followers.map(({ did }) => did)).toEqual([bob])
})
