// Feed generators as records: how they are shown, counted, liked, embedded, paged and searched, and how a
// missing one is requested.

import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../../../src/base/util/json-object.ts'
import { createFeedGeneratorDouble } from '../../../../../support/feed-generator-double.ts'
import { didOf } from '../../../../../support/records.ts'
import {
  allPages,
  createServingWorld,
  type ServingOptions,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'
import type { RecordId } from '../../../../../support/world.ts'

const GENERATOR = 'app.bsky.feed.generator'
const SERVICE = 'did:web:feeds.test'
const [alice, bob, carol, dan] = ['alice', 'bob', 'carol', 'dan'].map(didOf) as [
  string,
  string,
  string,
  string,
]

type View = {
  uri: string
  cid: string
  displayName: string
  likeCount: number
  viewer?: { like?: string }
  creator: { did: string; viewer?: { muted: boolean } }
}
type Feeds = { feeds: View[]; cursor?: string }

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(options: ServingOptions = {}): ServingWorld {
  world = createServingWorld({ scope: 'network', members: ['alice'], ...options })
  for (const did of [alice, bob, carol, dan]) {
    world.profile(did, { displayName: 'somebody' })
    world.handle(did, `${did.slice(-8)}.test`)
  }
  return world
}

function feedBy(w: ServingWorld, did: string, name: string, more: JsonObject = {}): RecordId {
  const record = { did: SERVICE, displayName: name, createdAt: w.isoNow(), ...more }
  return w.write({ did, collection: GENERATOR, rkey: name.toLowerCase(), record })
}

const namesOf = ({ feeds }: Feeds) => feeds.map(({ displayName }) => displayName)

describe('getFeedGenerators', () => {
  const NSID = 'app.bsky.feed.getFeedGenerators'

  test('returns those asked for, in order, with their likes, and leaves out missing ones', async () => {
    const w = start()
    const [cats, dogs] = [feedBy(w, bob, 'Cats'), feedBy(w, carol, 'Dogs')]
    const like = w.like(alice, dogs)
    w.like(dan, dogs)
    w.like(dan, dogs)
    const feeds = [dogs.uri, `at://${bob}/${GENERATOR}/none`, cats.uri]
    const answer = await w.get<Feeds>(NSID, { feeds }, alice)
    expect(answer.feeds).toMatchObject([
      {
        uri: dogs.uri,
        cid: dogs.cid,
        displayName: 'Dogs',
        likeCount: 2,
        viewer: { like: like.uri },
      },
      { uri: cats.uri, did: SERVICE, likeCount: 0, viewer: {}, creator: { did: bob } },
    ])
    expect((await w.get<Feeds>(NSID, { feeds })).feeds.map(({ viewer }) => viewer)).toEqual([
      undefined,
      undefined,
    ])
  })

  test('reflects updates, withdrawn likes, deletions and inactive accounts', async () => {
    const w = start()
    const cats = feedBy(w, bob, 'Cats')
    const likes = [w.like(alice, cats), w.like(dan, cats)]
    const look = async () => (await w.get<Feeds>(NSID, { feeds: [cats.uri] }, alice)).feeds
    w.delete(likes[0]!)
    expect(await look()).toMatchObject([{ likeCount: 1, viewer: {} }])
    const record = { did: SERVICE, displayName: 'Kittens', createdAt: w.isoNow() }
    w.write({ did: bob, collection: GENERATOR, rkey: 'cats', record, operation: 'update' })
    expect(await look()).toMatchObject([{ displayName: 'Kittens', likeCount: 1 }])
    w.status(dan, 'deleted')
    expect(await look()).toMatchObject([{ likeCount: 0 }])
    w.status(bob, 'deactivated')
    expect(await look()).toEqual([])
    w.status(bob)
    expect(await look()).toHaveLength(1)
    w.delete(cats)
    expect(await look()).toEqual([])
  })

  test('requests a missing one, waits a moment, and never fails', async () => {
    const w = start({ queuesFetchRequests: true })
    const uri = `at://${carol}/${GENERATOR}/late`
    const request = w.get<Feeds>(NSID, { feeds: [uri] }, alice)
    await expect
      .poll(() => w.sent.flatMap((item) => (item.kind === 'fetch-requested' ? item.uris : [])))
      .toEqual([uri])
    w.fetched({
      uri,
      record: { $type: GENERATOR, did: SERVICE, displayName: 'Late', createdAt: w.isoNow() },
    })
    expect(namesOf(await request)).toEqual(['Late'])
    expect(await w.get<Feeds>(NSID, { feeds: [`at://${carol}/${GENERATOR}/x`] })).toEqual({
      feeds: [],
    })
  })
})

describe('getFeedGenerator', () => {
  const NSID = 'app.bsky.feed.getFeedGenerator'

  test('reports a generator with a named service as online, whether or not it answers', async () => {
    const double = createFeedGeneratorDouble()
    const w = start({ fetch: double.fetch, services: { [SERVICE]: double.services } })
    const cats = feedBy(w, bob, 'Cats')
    double.says(undefined)
    expect(await w.get(NSID, { feed: cats.uri }, alice)).toMatchObject({
      view: { uri: cats.uri },
      isOnline: true,
      isValid: true,
    })
    expect(double.requested).toHaveLength(0)
  })

  test('fails without a record or without a resolvable service', async () => {
    const w = start({ absent: ['did:web:gone.test'] })
    const [cats, dogs] = [
      feedBy(w, bob, 'Cats'),
      feedBy(w, bob, 'Dogs', { did: 'did:web:gone.test' }),
    ]
    const messageOf = async (feed: string) =>
      (await w.ask<{ message: string }>(NSID, { feed }, alice)).body.message
    expect(await messageOf(`at://${bob}/${GENERATOR}/none`)).toBe('could not find feed')
    expect(await messageOf(cats.uri)).toMatch(/^invalid feed generator service details/)
    expect(await messageOf(dogs.uri)).toBe('could not resolve identity: did:web:gone.test')
  })
})

describe('lists of feeds', () => {
  test('getActorFeeds pages through an account’s feeds, newest first', async () => {
    const w = start()
    const made = ['A', 'B', 'C', 'D', 'E'].map((name) => feedBy(w, bob, name).uri)
    feedBy(w, carol, 'Other')
    const pages = await allPages(
      (cursor) =>
        w.get<Feeds>('app.bsky.feed.getActorFeeds', { actor: bob, limit: 2, cursor }, alice),
      ({ feeds }) => feeds,
    )
    expect(pages.map(({ uri }) => uri)).toEqual(made.reverse())
    expect((await w.ask('app.bsky.feed.getActorFeeds', { actor: 'no.test' })).body).toMatchObject({
      message: 'Profile not found',
    })
    expect((await w.ask('app.bsky.feed.getActorFeeds', { actor: bob, cursor: 'x' })).status).toBe(
      400,
    )
  })

  test('popular feeds are ordered by likes, and can be searched by name', async () => {
    const w = start()
    const [cats, dogs] = [feedBy(w, bob, 'Cats'), feedBy(w, carol, 'Dogs')]
    feedBy(w, carol, 'Catfish')
    for (const did of [alice, dan]) w.like(did, dogs)
    w.like(dan, cats)
    const popular = (query: object) =>
      allPages(
        (cursor) =>
          w.get<Feeds>('app.bsky.unspecced.getPopularFeedGenerators', {
            limit: 1,
            cursor,
            ...query,
          }),
        (page) => namesOf(page),
      )
    expect(await popular({})).toEqual(['Dogs', 'Cats', 'Catfish'])
    expect(await popular({ query: ' cAT' })).toEqual(['Cats', 'Catfish'])
    for (const nsid of [
      'app.bsky.feed.getSuggestedFeeds',
      'app.bsky.unspecced.getSuggestedFeeds',
    ]) {
      expect(namesOf(await w.get<Feeds>(nsid, { limit: 2 }, alice))).toEqual(['Dogs', 'Cats'])
    }
  })
})

test('an embedded feed is shown, or marked as blocked or not found', async () => {
  const w = start()
  const cats = feedBy(w, bob, 'Cats')
  const embed = { $type: 'app.bsky.embed.record', record: cats }
  const post = w.post(carol, { text: 'look', embed })
  const embedded = async (viewer = alice) => {
    const page = await w.get<{ posts: { embed: { record: { $type: string } } }[] }>(
      'app.bsky.feed.getPosts',
      { uris: [post.uri] },
      viewer,
    )
    return page.posts[0]!.embed.record
  }
  expect(await embedded()).toMatchObject({
    $type: 'app.bsky.feed.defs#generatorView',
    displayName: 'Cats',
    likeCount: 0,
  })
  const like = w.like(alice, cats)
  expect(await embedded()).toMatchObject({ likeCount: 1, viewer: { like: like.uri } })
  expect(await embedded(dan)).toMatchObject({ likeCount: 1, viewer: {} })
  w.block(dan, bob)
  expect(await embedded(dan)).toMatchObject({ $type: 'app.bsky.embed.record#viewBlocked' })
  w.delete(cats)
  expect(await embedded()).toMatchObject({ $type: 'app.bsky.embed.record#viewNotFound' })
})

test('notifies a member of likes of their feed, once per account, until withdrawn', async () => {
  const w = start()
  w.follow(bob, alice)
  const cats = feedBy(w, alice, 'Cats')
  type Notified = { notifications: { reason: string; reasonSubject?: string; uri: string }[] }
  const likes = async () =>
    (
      await w.get<Notified>('app.bsky.notification.listNotifications', {}, alice)
    ).notifications.filter(({ reason }) => reason === 'like')
  const like = w.like(bob, cats)
  w.like(bob, cats)
  w.like(alice, cats)
  expect(await likes()).toMatchObject([{ uri: like.uri, reasonSubject: cats.uri }])
  w.delete(like)
  expect(await likes()).toEqual([])
})

test('sendInteractions forwards to the generator with the token, and never fails', async () => {
  const double = createFeedGeneratorDouble()
  const w = start({ fetch: double.fetch, services: { [SERVICE]: double.services } })
  const cats = feedBy(w, bob, 'Cats')
  const input = { feed: cats.uri, interactions: [{ event: 'app.bsky.feed.defs#requestLess' }] }
  const token = `${alice}~generator`
  expect((await w.tell('app.bsky.feed.sendInteractions', input, token)).status).toBe(200)
  expect(double.requested).toMatchObject([
    { headers: { authorization: `Bearer ${token}` }, body: input },
  ])
})
