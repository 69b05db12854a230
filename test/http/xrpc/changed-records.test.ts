// Records that change or go while others point at them, and acts of an account about itself: what is there now
// counts, in every method alike. Where the reference on its own dataplane differs, docs/METHODS.md says so.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { notificationsOf } from '../../support/notifications.ts'
import { didOf } from '../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

type Post = {
  uri: string
  record: { text: string }
  threadgate?: object
  viewer: { replyDisabled?: boolean }
  likeCount: number
}
type Feed = { feed: { post: Post; reason?: { by: { did: string } } }[] }
type Profile = { viewer: { blockingByList?: object }; followersCount: number; followsCount: number }

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]
const KEY = '3lzzzzzzzzz2a'

let w: ServingWorld
beforeEach(() => {
  w = createServingWorld({ scope: 'network', members: ['alice', 'bob'] })
  for (const did of [alice, bob, carol]) w.profile(did, { displayName: did.slice(-4) })
})
afterEach(() => w.dispose())

const textsOf = ({ feed }: Feed) => feed.map(({ post }) => post.record.text)

test('a post written again under its key is the post of that key', async () => {
  w.follow(alice, bob)
  const first = w.create(carol, 'app.bsky.feed.post', { text: 'first' }, KEY)
  w.threadgate(first, [])
  w.repost(bob, first)
  w.like(bob, first)
  w.post(bob, { text: 'quote', quote: first })
  w.delete(first)
  expect(await w.get('app.bsky.feed.getPosts', { uris: [first.uri] })).toEqual({ posts: [] })
  const { uri } = w.create(carol, 'app.bsky.feed.post', { text: 'second' }, KEY)
  const { posts } = await w.get<{ posts: Post[] }>('app.bsky.feed.getPosts', { uris: [uri] }, alice)
  expect(posts[0]).toMatchObject({ record: { text: 'second' }, viewer: { replyDisabled: true } })
  expect(posts[0]!.threadgate).toBeDefined()
  const { repostedBy } = await w.get<{ repostedBy: { did: string }[] }>(
    'app.bsky.feed.getRepostedBy',
    { uri },
  )
  expect(repostedBy.map(({ did }) => did)).toEqual([bob])
  const feed = await w.get<Feed>('app.bsky.feed.getAuthorFeed', { actor: bob })
  expect(textsOf(feed)).toEqual(['quote', 'second'])
  expect(textsOf(await w.get<Feed>('app.bsky.feed.getTimeline', {}, alice))).toContain('second')
  const quotes = await w.get<{ posts: Post[] }>('app.bsky.feed.getQuotes', { uri })
  expect(quotes.posts).toHaveLength(1)
})

test('who follows itself has its posts once, and no notification of it', async () => {
  w.follow(alice, alice)
  w.post(alice, 'own')
  expect(textsOf(await w.get<Feed>('app.bsky.feed.getTimeline', {}, alice))).toEqual(['own'])
  expect(await notificationsOf(w, alice)).toEqual([])
  const profile = await w.get<Profile>('app.bsky.actor.getProfile', { actor: alice })
  expect(profile).toMatchObject({ followersCount: 1, followsCount: 1 })
})

test('who blocks itself still sees and shows itself', async () => {
  w.block(alice, alice)
  w.post(alice, 'own')
  expect(textsOf(await w.get<Feed>('app.bsky.feed.getTimeline', {}, alice))).toEqual(['own'])
  expect(textsOf(await w.get<Feed>('app.bsky.feed.getAuthorFeed', { actor: alice }, bob))).toEqual([
    'own',
  ])
})

test.each([
  ['has another purpose', (list: string) => changeList(list)],
  ['is deleted', (list: string) => w.delete(list)],
])('a list blocks no longer once it %s', async (_, change) => {
  const list = w.list(carol, 'bores')
  w.listItem(carol, list, bob)
  w.listBlock(alice, list)
  const isBlocked = async () => {
    const { viewer } = await w.get<Profile>('app.bsky.actor.getProfile', { actor: bob }, alice)
    type Relationships = { relationships: { blockingByList?: string }[] }
    const query = { actor: alice, others: [bob] }
    const { relationships } = await w.get<Relationships>('app.bsky.graph.getRelationships', query)
    const [one] = relationships
    expect(one!.blockingByList !== undefined).toBe(viewer.blockingByList !== undefined)
    return viewer.blockingByList !== undefined
  }
  expect(await isBlocked()).toBe(true)
  change(list.uri)
  expect(await isBlocked()).toBe(false)
})

function changeList(uri: string): void {
  const record = { name: 'friends', purpose: 'app.bsky.graph.defs#curatelist' }
  const rkey = uri.split('/').at(-1)!
  const collection = 'app.bsky.graph.list'
  const createdAt = w.isoNow()
  w.write({ did: carol, collection, rkey, operation: 'update', record: { ...record, createdAt } })
}

test('a starter pack whose list is deleted has nobody on it', async () => {
  const list = w.list(bob, 'people', 'app.bsky.graph.defs#referencelist')
  w.listItem(bob, list, carol)
  const pack = w.create(bob, 'app.bsky.graph.starterpack', { name: 'pack', list: list.uri })
  const read = () =>
    w.get<{ starterPack: { listItemsSample: object[] } }>('app.bsky.graph.getStarterPack', {
      starterPack: pack.uri,
    })
  expect((await read()).starterPack.listItemsSample).toHaveLength(1)
  w.delete(list)
  expect((await read()).starterPack.listItemsSample).toEqual([])
})
