// Where clients find For You: first among the suggested feeds, and as the tab they know, whose view sends what readers
// think of a post to this server.

import { afterEach, expect, test } from 'vitest'
import { applyLabels } from '../../../src/ingest/indexing/moderation/label.ts'
import { didOf } from '../../support/records.ts'
import { allPages } from '../../support/serving-world.ts'
import { DISCOVER, SERVICE, startForYou } from './feed-world.ts'

const GENERATOR = 'app.bsky.feed.generator'
const OTHER = 'did:web:discover.bsky.app'
const LABELER = didOf('labeler')
const BLUESKY = 'did:plc:z72i7hdynmk6r22z27h6tvur'

type View = {
  uri: string
  did: string
  displayName: string
  description?: string
  acceptsInteractions?: boolean
  creator: { did: string; handle: string }
}
type Feeds = { feeds: View[]; cursor?: string }

let started: ReturnType<typeof startForYou> | undefined
afterEach(() => started?.w.dispose())

function start() {
  started = startForYou(['alice'], [DISCOVER], { labelers: [LABELER] })
  const { w } = started
  const alice = started.person('alice')
  const feeds = (uris: string[]) =>
    w.get<Feeds>('app.bsky.feed.getFeedGenerators', { feeds: uris }, alice)
  const feedBy = (name: string, likes: number) => {
    const record = { did: 'did:web:feeds.test', displayName: name, createdAt: w.isoNow() }
    const did = started!.person('maker')
    const feed = w.write({ did, collection: GENERATOR, rkey: name, record })
    for (let i = 0; i < likes; i++) w.like(didOf(`liker-${i}`), feed)
    return feed
  }
  /** As Bluesky publishes it, with a service of its own. */
  const publishDiscover = () => {
    w.profile(BLUESKY, {})
    w.handle(BLUESKY, 'bsky.test')
    const record = {
      did: OTHER,
      displayName: 'Discover',
      description: 'of today',
      createdAt: w.isoNow(),
    }
    return w.write({ did: BLUESKY, collection: GENERATOR, rkey: 'whats-hot', record })
  }
  return { ...started, alice, feeds, feedBy, publishDiscover }
}

test('Discover names this server, which takes what readers think of it, with its record and without', async () => {
  const { w, feeds, alice, publishDiscover } = start()
  const ours = { uri: DISCOVER, did: SERVICE, displayName: 'Discover', acceptsInteractions: true }
  expect((await feeds([DISCOVER])).feeds).toEqual([
    expect.objectContaining({ ...ours, creator: { did: BLUESKY, handle: 'handle.invalid' } }),
  ])
  const { cid } = publishDiscover()
  const creator = expect.objectContaining({ did: BLUESKY, handle: 'bsky.test' })
  const complete = expect.objectContaining({ ...ours, cid, creator, description: 'of today' })
  expect((await feeds([DISCOVER])).feeds).toEqual([complete])
  expect(await w.get('app.bsky.feed.getFeedGenerator', { feed: DISCOVER }, alice)).toEqual({
    view: complete,
    isOnline: true,
    isValid: true,
  })
})

test.each([
  ['record', DISCOVER],
  ['account', BLUESKY],
])('Discover stays away when its %s is taken down, be its record here or not', async (_, uri) => {
  const { w, feeds, publishDiscover } = start()
  const record = publishDiscover()
  const cts = '2026-11-01T00:00:00.000Z'
  const label = { uri, val: '!takedown', cts, neg: false, cid: undefined, exp: undefined }
  w.run((ctx) => applyLabels(ctx, LABELER, [label]))
  expect((await feeds([DISCOVER])).feeds).toEqual([])
  w.delete(record)
  expect((await feeds([DISCOVER])).feeds).toEqual([])
})

test('other feeds are shown as their records are', async () => {
  const { feeds, feedBy } = start()
  const cats = feedBy('cats', 0)
  expect((await feeds([cats.uri])).feeds[0]).toMatchObject({ did: 'did:web:feeds.test' })
  expect((await feeds([cats.uri])).feeds[0]).not.toHaveProperty('acceptsInteractions')
})

test('app.bsky.unspecced.getSuggestedFeeds, which has no pages, begins with it', async () => {
  const { w, alice, feedBy } = start()
  const { uri } = feedBy('cats', 1)
  const { feeds } = await w.get<Feeds>('app.bsky.unspecced.getSuggestedFeeds', { limit: 9 }, alice)
  expect(feeds.map((feed) => feed.uri)).toEqual([DISCOVER, uri])
})

test.each(['app.bsky.feed.getSuggestedFeeds', 'app.bsky.unspecced.getPopularFeedGenerators'])(
  '%s begins with it, once, in pages of any size',
  async (nsid) => {
    const { w, alice, feedBy, publishDiscover } = start()
    const feeds = ['c', 'b', 'a'].map((name, i) => feedBy(name, i + 1).uri).toReversed()
    for (let i = 0; i < 9; i++) w.like(didOf(`liker-${i}`), publishDiscover())
    for (const limit of [2, 3, 4, 50]) {
      const pages = await allPages(
        (cursor) => w.get<Feeds>(nsid, { limit, cursor }, alice),
        (page) => {
          expect(page.feeds.length).toBeLessThanOrEqual(limit)
          return page.feeds
        },
      )
      expect(pages.map(({ uri }) => uri)).toEqual([DISCOVER, ...feeds])
    }
  },
)
