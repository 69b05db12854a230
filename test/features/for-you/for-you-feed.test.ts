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
function community(one: Started, further: number, authors = 40): RecordId[] {
  const shared = Array.from({ length: 5 }, (_, i) => one.post(`old-${i}`))
  for (const post of shared) for (const by of ['alice', ...FRIENDS]) one.like(by, post)
  const posts = Array.from({ length: further }, (_, i) => one.post(`author-${i % authors}`))
  for (const [i, post] of posts.entries()) {
    for (const by of FRIENDS.slice(0, 1 + (i % FRIENDS.length))) one.like(by, post)
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
    const one = start()
    const posts = community(one, 8)
    const unrelated = one.post('zoe')
    one.like('yves', unrelated)
    const page = await one.page({ limit: 20 })
    expect(new Set(urisOf(page))).toEqual(new Set(posts.map(({ uri }) => uri)))
    expect(page.feed[0]!.feedContext).toBe('liked by 4 people who share up to 5 likes with you')
    expect(page.feed[0]!.reqId).toMatch(/^[0-9a-f]{16}$/)
    expect(page.cursor).toBeUndefined()
  })

  test('is continued without a post twice, whatever is liked meanwhile', async () => {
    const one = start()
    community(one, 60)
    const first = await one.page({ limit: 10 })
    const late = one.post('late')
    for (const by of FRIENDS) one.like(by, late)
    const all = (await walk(one, 10, first)).flatMap(urisOf)
    expect(all.length).toBe(60)
    expect(new Set(all).size).toBe(60)
    expect(all).not.toContain(late.uri)
    expect(urisOf(await one.page({ limit: 10 }))).toEqual([late.uri])
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
    const one = start()
    community(one, 40)
    const first = await one.page({ limit: 10 })
    const other = await one.page({ limit: 10, cursor: 'ffffffffffffffff.10' })
    expect(urisOf(other).filter((uri) => urisOf(first).includes(uri))).toEqual([])
    expect(urisOf(other)).toHaveLength(10)
  })

  test('a look at one post changes nothing', async () => {
    const one = start()
    community(one, 12)
    const first = urisOf(await one.page({ limit: 1 }))
    expect(urisOf(await one.page({ limit: 1 }))).toEqual(first)
  })
})

describe('the rules', () => {
  test('no more than two of one author in ten', async () => {
    const one = start()
    community(one, 60, 12)
    const { feed } = await one.page({ limit: 40 })
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
    const one = start()
    const posts = community(one, 30, 30)
    for (let i = 0; i < 20; i++) one.w.follow(didOf('alice'), didOf(`author-${i}`))
    const { feed } = await one.page({ limit: 50 })
    const followed = feed.filter(({ post }) =>
      posts.slice(0, 20).some(({ uri }) => uri === post.uri),
    )
    expect(followed.length).toBeGreaterThan(0)
    expect(followed.length).toBeLessThanOrEqual(feed.length / 2)
  })

  test('blocked and muted accounts, own posts, replies without a root and other languages stay out', async () => {
    const one = start()
    community(one, 0)
    const blocked = one.post('blocked')
    const muted = one.post('muted')
    const own = one.post('alice')
    const german = one.post('german', { text: 'Hallo', langs: ['de'] })
    const english = one.post('english', { text: 'Hello', langs: ['en'] })
    const root = one.post('root')
    const reply = one.post('answers', { reply: { parent: root } })
    const gone = one.post('gone')
    const orphan = one.post('orphan', { reply: { parent: gone } })
    one.w.delete(gone)
    one.w.block(didOf('blocked'), didOf('alice'))
    one.w.mute(didOf('alice'), didOf('muted'))
    for (const post of [blocked, muted, own, german, english, reply, orphan]) {
      for (const by of FRIENDS) one.like(by, post)
    }
    const page = await one.page({ limit: 30 }, 'alice', { 'accept-language': 'en-GB,fr;q=0.5' })
    expect(new Set(urisOf(page))).toEqual(new Set([english.uri, reply.uri]))
  })

  test('words that the reader mutes stay out, as whole words', async () => {
    const one = start()
    community(one, 0)
    const cat = one.post('a', 'My CAT!')
    const category = one.post('b', 'a category')
    for (const post of [cat, category]) for (const by of FRIENDS) one.like(by, post)
    const items = [{ value: 'cat', targets: ['content'] }]
    await one.w.tell(
      'app.bsky.actor.putPreferences',
      { preferences: [{ $type: 'app.bsky.actor.defs#mutedWordsPref', items }] },
      didOf('alice'),
    )
    expect(urisOf(await one.page({ limit: 30 }))).toEqual([category.uri])
  })

  test('who does not want to be recommended still is to those who follow them', async () => {
    const one = start()
    const posts = community(one, 4, 4)
    const hides = { hideFromAlgorithmicRecommendations: true }
    const type = 'app.bsky.actor.contentVisibilityDeclaration'
    one.w.create(didOf('author-2'), type, hides, 'self')
    one.w.follow(didOf('alice'), didOf('author-2'))
    expect(urisOf(await one.page({ limit: 30 }))).toContain(posts[2]!.uri)
  })

  test('who does not want to be recommended is not, from then on and backwards', async () => {
    const one = start()
    const posts = community(one, 4, 4)
    const hidden = didOf('author-2')
    const declaration = one.w.create(
      hidden,
      'app.bsky.actor.contentVisibilityDeclaration',
      { hideFromAlgorithmicRecommendations: true },
      'self',
    )
    expect(urisOf(await one.page({ limit: 1 }))).not.toContain(posts[2]!.uri)
    expect(urisOf(await one.page({ limit: 30 }))).toHaveLength(3)
    one.w.delete(declaration)
    expect(urisOf(await one.page({ limit: 30 }))).toEqual([posts[2]!.uri])
  })
})

describe('feedback', () => {
  const tell = (one: Started, event: string, post: RecordId) =>
    one.w.tell(
      'app.bsky.feed.sendInteractions',
      { feed: DISCOVER, interactions: [{ item: post.uri, event }] },
      didOf('alice'),
    )

  test('“less like this” takes the post away at once, and twice its author', async () => {
    const one = start()
    const posts = community(one, 9, 3)
    await tell(one, 'app.bsky.feed.defs#requestLess', posts[0]!)
    expect(urisOf(await one.page({ limit: 1 }))).not.toContain(posts[0]!.uri)
    await tell(one, 'app.bsky.feed.defs#requestLess', posts[3]!)
    const { feed } = await one.page({ limit: 30 })
    expect(feed.length).toBeGreaterThan(2)
    expect(feed.map(({ post }) => post.author.did)).not.toContain(didOf('author-0'))
  })

  test('“not this author” takes all of theirs away at once', async () => {
    const one = start()
    const posts = community(one, 9, 3)
    await tell(one, 'io.slipstream.feed.defs#notThisAuthor', posts[0]!)
    const { feed } = await one.page({ limit: 30 })
    expect(feed.length).toBeGreaterThan(2)
    expect(feed.map(({ post }) => post.author.did)).not.toContain(didOf('author-0'))
  })

  test('what was seen leaves', async () => {
    const one = start()
    const posts = community(one, 3, 3)
    await tell(one, 'app.bsky.feed.defs#interactionSeen', posts[1]!)
    expect(urisOf(await one.page({ limit: 30 }))).toHaveLength(2)
  })
})

describe('a reader without likes', () => {
  test('sees what the accounts like that they follow, then what members like', async () => {
    const one = start(['alice', 'mia'])
    one.person('alice')
    one.w.follow(didOf('alice'), didOf('bob'))
    const [byBob, byMia] = [one.post('x'), one.post('y')]
    one.like('bob', byBob)
    one.like('mia', byMia)
    const page = await one.page({ limit: 30 })
    expect(urisOf(page)).toEqual([byBob.uri, byMia.uri])
    expect(page.feed.map(({ feedContext }) => feedContext)).toEqual([
      'liked by 1 person you follow',
      'liked by 1 member here',
    ])
    const visitors = await one.page({ limit: 30 }, 'nobody')
    expect(urisOf(visitors)).toEqual([byMia.uri])
  })

  test('with nothing at all, what stood in for Discover stands in', async () => {
    const one = start()
    one.person('bob')
    one.w.follow(didOf('alice'), didOf('bob'))
    const post = one.post('bob')
    expect(urisOf(await one.page({ limit: 30 }))).toEqual([post.uri])
  })

  test('their fifth like fills the page', async () => {
    const one = start()
    const shared = Array.from({ length: 5 }, (_, i) => one.post(`old-${i}`))
    for (const post of shared) for (const by of FRIENDS) one.like(by, post)
    const posts = Array.from({ length: 40 }, (_, i) => one.post(`author-${i}`))
    for (const post of posts) for (const by of FRIENDS) one.like(by, post)
    for (const post of shared) one.like('alice', post)
    const page = await one.page({ limit: 30 })
    expect(page.feed).toHaveLength(30)
    expect(urisOf(page).every((uri) => posts.some((post) => post.uri === uri))).toBe(true)
  })
})
