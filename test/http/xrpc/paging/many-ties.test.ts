// Hundreds of records of one account that claim one moment, as an import makes them: no page loses any, since
// their order by CID is that of all of them. Of thousands, a page shows the newest, and goes on below.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { blobOf, didOf } from '../../../support/records.ts'
import { allPages, createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'

type Named = { uri: string }
type Item = Named & { post?: Named; reason?: Named }
type Page = { cursor?: string } & Record<string, Item[]>

const [viewer, author] = ['viewer', 'author'].map(didOf) as [string, string]
const AT = '2026-03-01T12:00:00.000Z'
const BEFORE = '2026-02-01T12:00:00.000Z'
const REFERENCE_LIST = 'app.bsky.graph.defs#referencelist'
const IMAGES = { $type: 'app.bsky.embed.images', images: [{ alt: '', image: blobOf('picture') }] }

let w: ServingWorld
beforeEach(() => {
  w = createServingWorld({ scope: 'network', members: ['viewer'] })
  for (const did of [viewer, author]) w.profile(did, {})
})
afterEach(() => w.dispose())

const make = (name: string, record: object, createdAt = AT) =>
  w.create(author, `app.bsky.${name}`, { ...record, createdAt })

/** The records between two older and newer ones. */
function made(count: number, one: (n: number, createdAt?: string) => Named): string[] {
  const older = one(-1, BEFORE)
  const tied = Array.from({ length: count }, (_, n) => one(n))
  return [...tied, older].map(({ uri }) => uri)
}

function listed(nsid: string, field: string, limit: number, more: object = {}): Promise<string[]> {
  const query = { actor: author, limit, ...more }
  return allPages<Page, string>(
    (cursor) => w.get(nsid, { ...query, cursor }, viewer),
    (page) => page[field]!.map(({ uri, post, reason }) => reason?.uri ?? post?.uri ?? uri),
  )
}

const feed = (limit: number, filter: string) =>
  listed('app.bsky.feed.getAuthorFeed', 'feed', limit, { filter })

test.each([
  [
    'app.bsky.feed.getActorFeeds',
    'feeds',
    (at?: string) =>
      make('feed.generator', { did: 'did:web:feeds.example.org', displayName: 'a' }, at),
  ],
  [
    'app.bsky.graph.getActorStarterPacks',
    'starterPacks',
    (at?: string) => {
      const { uri: list } = make('graph.list', { name: 'people', purpose: REFERENCE_LIST })
      return make('graph.starterpack', { name: 'a', list }, at)
    },
  ],
] as const)('%s', async (nsid, field, one) => {
  const all = made(300, (_, at) => one(at))
  for (const limit of [7, 100]) {
    const found = await listed(nsid, field, limit)
    expect([...found].sort()).toEqual([...all].sort())
    expect(found.at(-1)).toBe(all.at(-1))
  }
})

test.each([
  ['posts_with_replies', {}],
  ['posts_no_replies', {}],
  ['posts_with_media', { embed: IMAGES }],
])('an author feed, %s', async (filter, more) => {
  const all = made(300, (n, at) => make('feed.post', { text: `post ${n}`, ...more }, at))
  for (const limit of [7, 100]) {
    const found = await feed(limit, filter)
    expect([...found].sort()).toEqual([...all].sort())
    expect(found.at(-1)).toBe(all.at(-1))
  }
})

test('posts and reposts of one moment', async () => {
  const posts = made(150, (n, at) => make('feed.post', { text: `post ${n}` }, at))
  const subjects = Array.from({ length: 150 }, (_, n) => w.post(viewer, `other ${n}`))
  const reposts = subjects.map((subject) => make('feed.repost', { subject }).uri)
  const found = await feed(20, 'posts_with_replies')
  expect([...found].sort()).toEqual([...posts, ...reposts].sort())
})

test('more of one moment than are read together: the newest, and what is older', async () => {
  const all = made(5_100, (n, at) => make('feed.post', { text: `post ${n}` }, at))
  const found = await feed(100, 'posts_with_replies')
  expect(new Set(found).size).toBe(found.length)
  expect(found.length).toBeGreaterThan(4_999)
  expect(found.at(-1)).toBe(all.at(-1))
}, 60_000)
