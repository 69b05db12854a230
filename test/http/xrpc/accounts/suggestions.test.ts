// Suggestions from the graph and trends from posts: their content, and what they leave out.

import { afterEach, describe, expect, test } from 'vitest'
import { didOf } from '../../../support/records.ts'
import { allPages, createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'

const alice = didOf('alice')

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

type Account = { did: string; viewer?: { knownFollowers?: { count: number } } }

/** Alice follows friends, who follow `liked` (all of them) and `known` (one of them). */
function start() {
  const w = createServingWorld({ scope: 'network', members: ['alice'], startAt: Date.now() })
  world = w
  const named = (name: string) => {
    const did = w.account(name)
    w.profile(did, { displayName: name })
    return did
  }
  named('alice')
  const friends = ['f1', 'f2', 'f3'].map(named)
  const [liked, known, blocked, muted, unknown] = [
    ...['liked', 'known', 'blocked', 'muted', 'unknown'].map(named),
  ] as [string, string, string, string, string]
  for (const friend of friends) {
    w.follow(alice, friend)
    for (const did of [liked, blocked, muted, alice]) w.follow(friend, did)
  }
  w.follow(friends[0]!, known)
  for (const name of ['p1', 'p2']) w.follow(named(name), known)
  return { w, friends, liked, known, blocked, muted, unknown }
}

describe('suggestions', () => {
  test('are accounts followed by many of one’s follows, none of them followed, blocked or muted', async () => {
    const { w, friends, liked, known, blocked, muted } = start()
    w.block(blocked, alice)
    w.mute(alice, muted)
    const pages = await allPages(
      (cursor) =>
        w.get<{ actors: Account[]; cursor?: string }>(
          'app.bsky.actor.getSuggestions',
          { limit: 1, cursor },
          alice,
        ),
      ({ actors }) => actors,
    )
    expect(pages.slice(0, 2).map(({ did }) => did)).toEqual([liked, known])
    expect(pages[0]?.viewer?.knownFollowers?.count).toBe(3)
    for (const did of [alice, ...friends, blocked, muted]) {
      expect(pages.map((page) => page.did)).not.toContain(did)
    }
  })

  test('leave out who does not want to be recommended, from when they said so and backwards', async () => {
    const { w, liked, known } = start()
    const suggested = async () => {
      const { actors } = await w.get<{ actors: Account[] }>(
        'app.bsky.actor.getSuggestions',
        {},
        alice,
      )
      return actors.map(({ did }) => did)
    }
    const tagged = async () => {
      type Tagged = { suggestions: { subject: string }[] }
      const { suggestions } = await w.get<Tagged>('app.bsky.unspecced.getTaggedSuggestions', {})
      return suggestions.map(({ subject }) => subject)
    }
    const [popular] = await tagged()
    expect(await suggested()).toContain(liked)
    const type = 'app.bsky.actor.contentVisibilityDeclaration'
    const hides = { hideFromAlgorithmicRecommendations: true }
    const declaration = w.create(liked, type, hides, 'self')
    expect(await suggested()).not.toContain(liked)
    expect(await suggested()).toContain(known)
    w.delete(declaration)
    expect(await suggested()).toContain(liked)
    w.create(popular!, type, hides, 'self')
    expect(await tagged()).not.toContain(popular)
  })

  test('are the same under every method name that clients use', async () => {
    const { w, liked } = start()
    for (const name of ['', 'ForDiscover', 'ForExplore', 'ForSeeMore']) {
      const { actors } = await w.get<{ actors: Account[] }>(
        `app.bsky.unspecced.getSuggestedUsers${name}`,
        { limit: 1 },
        alice,
      )
      expect(actors.map(({ did }) => did)).toHaveLength(1)
      expect(
        (
          await w.get<{ actors: Account[] }>(
            `app.bsky.unspecced.getSuggestedUsers${name}`,
            { limit: 25 },
            alice,
          )
        ).actors.map(({ did }) => did),
      ).toContain(liked)
    }
  })

  test('for a visitor, or a viewer without follows, are the most followed accounts', async () => {
    const { w, liked, unknown } = start()
    const { actors } = await w.get<{ actors: Account[] }>('app.bsky.actor.getSuggestions', {
      limit: 3,
    })
    expect(actors).toHaveLength(3)
    expect(actors.map(({ did }) => did)).not.toContain(unknown)
    w.follow(unknown, liked)
    const own = await w.get<{ actors: Account[] }>(
      'app.bsky.actor.getSuggestions',
      { limit: 50 },
      unknown,
    )
    expect(own.actors.map(({ did }) => did)).not.toContain(unknown)
    expect(own.actors.map(({ did }) => did)).not.toContain(liked)
  })

  test('by an account are other follows of its followers; following one removes it at once', async () => {
    const { w, liked, known, friends } = start()
    const NSID = 'app.bsky.graph.getSuggestedFollowsByActor'
    const ask = async (actor: string) =>
      (await w.get<{ suggestions: Account[] }>(NSID, { actor }, alice)).suggestions.map(
        ({ did }) => did,
      )
    expect(await ask(known)).toContain(liked)
    w.follow(alice, liked)
    expect(await ask(known)).not.toContain(liked)
    expect(await ask(known)).not.toContain(known)
    for (const friend of friends) expect(await ask(known)).not.toContain(friend)
    expect((await w.ask(NSID, { actor: 'nobody.test' }, alice)).body).toMatchObject({
      message: 'Actor not found',
    })
  })
})

test('beside trends are the most liked feeds, without those by blocked accounts', async () => {
  const { w, friends, blocked } = start()
  const feed = (did: string, displayName: string) => {
    const record = { did: 'did:web:feeds.test', displayName, createdAt: w.isoNow() }
    return w.write({ did, collection: 'app.bsky.feed.generator', record })
  }
  const [by] = friends as [string]
  const [few, many, theirs] = [feed(by, 'Few'), feed(by, 'Many'), feed(blocked, 'Theirs')]
  for (const did of friends) {
    w.like(did, many)
    w.like(did, theirs)
  }
  w.like(by, few)
  w.block(alice, blocked)
  type Answer = { suggested: { topic: string; link: string }[] }
  const NSID = 'app.bsky.unspecced.getTrendingTopics'
  const { suggested } = await w.get<Answer>(NSID, {}, alice)
  const link = (uri: string) => `/profile/${by}/feed/${uri.split('/').at(-1)}`
  expect(suggested).toEqual([
    { topic: 'Many', displayName: 'Many', link: link(many.uri) },
    { topic: 'Few', displayName: 'Few', link: link(few.uri) },
  ])
  expect((await w.get<Answer>(NSID)).suggested).toHaveLength(3)
})

test('trends are hashtags that several accounts used recently, with some of these accounts', async () => {
  const { w, friends, liked, blocked } = start()
  const tagged = (did: string, tag: string) =>
    w.post(did, {
      text: `#${tag}`,
      createdAt: new Date().toISOString(),
      facets: [
        {
          index: { byteStart: 0, byteEnd: tag.length + 1 },
          features: [{ $type: 'app.bsky.richtext.facet#tag', tag }],
        },
      ],
    })
  for (const did of [...friends, liked, blocked]) tagged(did, did === liked ? 'cats' : 'Cats')
  for (const did of friends) tagged(did, 'Dogs and more')
  for (let i = 0; i < 9; i++) tagged(liked, 'mine')
  w.block(blocked, alice)
  type Trend = { topic: string; postCount: number; link: string; actors: Account[] }
  const trends = () => w.get<{ trends: Trend[] }>('app.bsky.unspecced.getTrends', {}, alice)
  await trends()
  await expect.poll(async () => (await trends()).trends.length).toBe(2)
  const [cats, dogs] = (await trends()).trends as [Trend, Trend]
  expect(cats).toMatchObject({ topic: 'Cats', postCount: 5, link: '/hashtag/Cats' })
  expect(cats.actors.map(({ did }) => did)).not.toContain(blocked)
  expect(dogs).toMatchObject({ topic: 'Dogs and more', link: '/hashtag/Dogs%20and%20more' })
  const type = 'app.bsky.actor.contentVisibilityDeclaration'
  for (const did of [friends[0]!, liked]) {
    w.create(did, type, { hideFromAlgorithmicRecommendations: true }, 'self')
  }
  const [after] = (await trends()).trends as [Trend]
  expect(after.postCount).toBe(5)
  // Alice follows her friends.
  const visible = cats.actors.map(({ did }) => did).filter((did) => did !== liked)
  expect(after.actors.map(({ did }) => did)).toEqual(visible)
  expect(visible).toContain(friends[0])
  const { topics } = await w.get<{ topics: { topic: string }[] }>(
    'app.bsky.unspecced.getTrendingTopics',
    { limit: 1 },
  )
  expect(topics.map(({ topic }) => topic)).toEqual(['Cats'])
})
