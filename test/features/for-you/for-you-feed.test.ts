// Pages of For You as Discover shows them: by co-likes, with reasons, within the rules, stable and never twice.

import { afterEach, describe, expect, test } from 'vitest'
import { blobOf, didOf } from '../../support/records.ts'
import type { RecordId } from '../../support/world.ts'
import { DISCOVER, type FeedPage, startForYou, urisOf } from './feed-world.ts'

type Started = ReturnType<typeof startForYou>

let started: Started | undefined
afterEach(() => started?.w.dispose())

const start = (members?: string[]): Started => {
  started = startForYou(members)
  return started
}

const FRIENDS = ['bob', 'carol', 'dave', 'erin']

/** Alice and her friends like the same posts; then the friends like further ones. */
function community(world: Started, further: number, authors = 40): RecordId[] {
  const shared = Array.from({ length: 5 }, (_, i) => world.post(`old-${i}`))
  for (const post of shared) for (const by of ['alice', ...FRIENDS]) world.like(by, post)
  const posts = Array.from({ length: further }, (_, i) => world.post(`author-${i % authors}`))
  for (const [i, post] of posts.entries()) {
    for (const by of FRIENDS.slice(0, 1 + (i % FRIENDS.length))) world.like(by, post)
  }
  return posts
}

/** As much text as a post of four pictures may have. */
function pictures() {
  const images = [1, 2, 3, 4].map((n) => ({ image: blobOf(`${n}`), alt: 'x'.repeat(20_000) }))
  return { $type: 'app.bsky.embed.images', images }
}

/** Large posts that quote a large post, liked by the reader's co-likers. */
function largePosts(one: Started, { count, quoted }: { count: number; quoted: RecordId }) {
  const record = { $type: 'app.bsky.embed.record', record: quoted }
  const embed = { $type: 'app.bsky.embed.recordWithMedia', record, media: pictures() }
  const posts = Array.from({ length: count }, (_, i) =>
    one.post(`author-${i}`, { text: `post ${i}`, embed }),
  )
  for (const post of posts) for (const by of FRIENDS) one.like(by, post)
  return posts
}

/** All pages of a session. */
async function walk(one: Started, limit: number, first?: FeedPage): Promise<FeedPage[]> {
  const pages = [first ?? (await one.page({ limit }))]
  for (let cursor = pages[0]!.cursor; cursor !== undefined; cursor = pages.at(-1)!.cursor) {
    pages.push(await one.page({ limit, cursor }))
  }
  return pages
}

describe('a page', () => {
  test('has what people like who like what the reader likes, and says why', async () => {
    const world = start()
    const posts = community(world, 8)
    const unrelated = world.post('zoe')
    world.like('yves', unrelated)
    const page = await world.page({ limit: 20 })
    expect(new Set(urisOf(page))).toEqual(new Set(posts.map(({ uri }) => uri)))
    expect(page.feed[0]!.feedContext).toBe('liked by 4 people who share up to 5 likes with you')
    expect(page.feed[0]!.reqId).toMatch(/^[0-9a-f]{16}$/)
    expect(page.cursor).toBeUndefined()
  })

  test('is continued without a post twice, whatever is liked meanwhile', async () => {
    const world = start()
    community(world, 60)
    const first = await world.page({ limit: 10 })
    const late = world.post('late')
    for (const by of FRIENDS) world.like(by, late)
    const all = (await walk(world, 10, first)).flatMap(urisOf)
    expect(all.length).toBe(60)
    expect(new Set(all).size).toBe(60)
    expect(all).not.toContain(late.uri)
    expect(urisOf(await world.page({ limit: 10 }))).toEqual([late.uri])
  })

  test('ends where an answer is as large as answers may be, and goes on there', async () => {
    const one = start()
    const quoted = one.post('quoted', { text: 'a quoted post', embed: pictures() })
    community(one, 0)
    const all = largePosts(one, { count: 50, quoted })
    const [first, ...further] = await walk(one, 50)
    expect(first!.feed.length).toBeLessThan(50)
    const seen = [first!, ...further].flatMap(urisOf)
    expect(seen.toSorted()).toEqual(all.map(({ uri }) => uri).toSorted())
  })

  test('leaves what was served, also for a cursor of another server or another reader', async () => {
    const world = start()
    community(world, 40)
    const first = await world.page({ limit: 10 })
    const other = await world.page({ limit: 10, cursor: 'ffffffffffffffff.10' })
    expect(urisOf(other).filter((uri) => urisOf(first).includes(uri))).toEqual([])
    expect(urisOf(other)).toHaveLength(10)
  })

  test('a look at one post changes nothing', async () => {
    const world = start()
    community(world, 12)
    const first = urisOf(await world.page({ limit: 1 }))
    expect(urisOf(await world.page({ limit: 1 }))).toEqual(first)
  })
})

describe('the rules', () => {
  test('no more than two of one author in ten', async () => {
    const world = start()
    community(world, 60, 12)
    const { feed } = await world.page({ limit: 40 })
    expect(feed.length).toBeGreaterThan(15)
    const authors = feed.map(({ post }) => post.author.did)
    for (let i = 0; i < authors.length; i++) {
      const window = authors.slice(i, i + 10)
      for (const author of window) {
        expect(window.filter((by) => by === author).length).toBeLessThanOrEqual(2)
      }
    }
  })

  test('accounts that the reader follows do not dominate', async () => {
    const world = start()
    const posts = community(world, 30, 30)
    for (let i = 0; i < 20; i++) world.w.follow(didOf('alice'), didOf(`author-${i}`))
    const { feed } = await world.page({ limit: 50 })
    const followed = feed.filter(({ post }) =>
      posts.slice(0, 20).some(({ uri }) => uri === post.uri),
    )
    expect(followed.length).toBeGreaterThan(0)
    expect(followed.length).toBeLessThanOrEqual(feed.length / 2)
  })

  test('blocked and muted accounts, own posts, replies without a root and other languages stay out', async () => {
    const world = start()
    community(world, 0)
    const blocked = world.post('blocked')
    const muted = world.post('muted')
    const own = world.post('alice')
    const german = world.post('german', { text: 'Hallo', langs: ['de'] })
    const english = world.post('english', { text: 'Hello', langs: ['en'] })
    const root = world.post('root')
    const reply = world.post('answers', { reply: { parent: root } })
    const gone = world.post('gone')
    const orphan = world.post('orphan', { reply: { parent: gone } })
    world.w.delete(gone)
    world.w.block(didOf('blocked'), didOf('alice'))
    world.w.mute(didOf('alice'), didOf('muted'))
    for (const post of [blocked, muted, own, german, english, reply, orphan]) {
      for (const by of FRIENDS) world.like(by, post)
    }
    const page = await world.page({ limit: 30 }, 'alice', { 'accept-language': 'en-GB,fr;q=0.5' })
    expect(new Set(urisOf(page))).toEqual(new Set([english.uri, reply.uri]))
  })

  test('words that the reader mutes stay out, as whole words', async () => {
    const world = start()
    community(world, 0)
    const cat = world.post('a', 'My CAT!')
    const category = world.post('b', 'a category')
    for (const post of [cat, category]) for (const by of FRIENDS) world.like(by, post)
    const items = [{ value: 'cat', targets: ['content'] }]
    await world.w.tell(
      'app.bsky.actor.putPreferences',
      { preferences: [{ $type: 'app.bsky.actor.defs#mutedWordsPref', items }] },
      didOf('alice'),
    )
    expect(urisOf(await world.page({ limit: 30 }))).toEqual([category.uri])
  })

  test('who does not want to be recommended still is to those who follow them', async () => {
    const world = start()
    const posts = community(world, 4, 4)
    const hides = { hideFromAlgorithmicRecommendations: true }
    const type = 'app.bsky.actor.contentVisibilityDeclaration'
    world.w.create(didOf('author-2'), type, hides, 'self')
    world.w.follow(didOf('alice'), didOf('author-2'))
    expect(urisOf(await world.page({ limit: 30 }))).toContain(posts[2]!.uri)
  })

  test('who does not want to be recommended is not, from then on and backwards', async () => {
    const world = start()
    const posts = community(world, 4, 4)
    const hidden = didOf('author-2')
    const declaration = world.w.create(
      hidden,
      'app.bsky.actor.contentVisibilityDeclaration',
      { hideFromAlgorithmicRecommendations: true },
      'self',
    )
    expect(urisOf(await world.page({ limit: 1 }))).not.toContain(posts[2]!.uri)
    expect(urisOf(await world.page({ limit: 30 }))).toHaveLength(3)
    world.w.delete(declaration)
    expect(urisOf(await world.page({ limit: 30 }))).toEqual([posts[2]!.uri])
  })
})

describe('feedback', () => {
  const tell = (world: Started, event: string, post: RecordId) =>
    world.w.tell(
      'app.bsky.feed.sendInteractions',
      { feed: DISCOVER, interactions: [{ item: post.uri, event }] },
      didOf('alice'),
    )

  test('“less like this” takes the post away at once, and twice its author', async () => {
    const world = start()
    const posts = community(world, 9, 3)
    await tell(world, 'app.bsky.feed.defs#requestLess', posts[0]!)
    expect(urisOf(await world.page({ limit: 1 }))).not.toContain(posts[0]!.uri)
    await tell(world, 'app.bsky.feed.defs#requestLess', posts[3]!)
    const { feed } = await world.page({ limit: 30 })
    expect(feed.length).toBeGreaterThan(2)
    expect(feed.map(({ post }) => post.author.did)).not.toContain(didOf('author-0'))
  })

  test('“not this author” takes all of theirs away at once', async () => {
    const world = start()
    const posts = community(world, 9, 3)
    await tell(world, 'io.slipstream.feed.defs#notThisAuthor', posts[0]!)
    const { feed } = await world.page({ limit: 30 })
    expect(feed.length).toBeGreaterThan(2)
    expect(feed.map(({ post }) => post.author.did)).not.toContain(didOf('author-0'))
  })

  test('what was seen leaves', async () => {
    const world = start()
    const posts = community(world, 3, 3)
    await tell(world, 'app.bsky.feed.defs#interactionSeen', posts[1]!)
    expect(urisOf(await world.page({ limit: 30 }))).toHaveLength(2)
  })
})

describe('a reader without likes', () => {
  test('sees what the accounts like that they follow, then what members like', async () => {
    const world = start(['alice', 'mia'])
    world.person('alice')
    world.w.follow(didOf('alice'), didOf('bob'))
    const [byBob, byMia] = [world.post('x'), world.post('y')]
    world.like('bob', byBob)
    world.like('mia', byMia)
    const page = await world.page({ limit: 30 })
    expect(urisOf(page)).toEqual([byBob.uri, byMia.uri])
    expect(page.feed.map(({ feedContext }) => feedContext)).toEqual([
      'liked by 1 person you follow',
      'liked by 1 member here',
    ])
    const visitors = await world.page({ limit: 30 }, 'nobody')
    expect(urisOf(visitors)).toEqual([byMia.uri])
  })

  test('with nothing at all, what stood in for Discover stands in', async () => {
    const world = start()
    world.person('bob')
    world.w.follow(didOf('alice'), didOf('bob'))
    const post = world.post('bob')
    expect(urisOf(await world.page({ limit: 30 }))).toEqual([post.uri])
  })

  test('their fifth like fills the page', async () => {
    const world = start()
    const shared = Array.from({ length: 5 }, (_, i) => world.post(`old-${i}`))
    for (const post of shared) for (const by of FRIENDS) world.like(by, post)
    const posts = Array.from({ length: 40 }, (_, i) => world.post(`author-${i}`))
    for (const post of posts) for (const by of FRIENDS) world.like(by, post)
    for (const post of shared) world.like('alice', post)
    const page = await world.page({ limit: 30 })
    expect(page.feed).toHaveLength(30)
    expect(urisOf(page).every((uri) => posts.some((post) => post.uri === uri))).toBe(true)
  })
})
