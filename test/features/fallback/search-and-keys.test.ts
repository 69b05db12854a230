// Searches show local results first and then those from elsewhere, without repeats; records requested by key
// come from wherever they are, in the order of the request.

import { describe, expect, test } from 'vitest'
import { createFeedGeneratorDouble } from '../../support/feed-generator-double.ts'
import { searchable } from '../../support/searching.ts'
import { allPages } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'
import {
  alice,
  bob,
  createTwoWorlds,
  eve,
  fans,
  handleOf,
  mallory,
  moe,
  people,
} from './two-worlds.ts'

type View = { did: string; handle: string; viewer?: Record<string, unknown> }
type Post = { uri: string; author: View; viewer?: Record<string, unknown> }

describe('search', () => {
  /** A public AppView's results: all of these, in its own pages. */
  function everybody(dids: string[], field: 'actors' = 'actors') {
    return ({ limit, cursor }: Record<string, string | string[]>) => {
      const from = Number(cursor ?? 0)
      const to = Math.min(from + Number(limit), dids.length)
      const views = dids.slice(from, to).map((did) => ({ did, handle: handleOf(did) }))
      return { [field]: views, ...(to < dids.length && { cursor: String(to) }) }
    }
  }

  test('shows our own accounts first, then others, each once, without blocked ones, to the end', async () => {
    const { here, double } = await createTwoWorlds(() => {})
    double.answer('app.bsky.actor.searchActors', everybody([moe, bob, ...fans, mallory, eve]))
    type Page = { actors: View[]; cursor?: string }
    for (const limit of [1, 3, 50]) {
      const found = await allPages(
        (cursor) =>
          here.get<Page>(
            'app.bsky.actor.searchActors',
            { q: handleOf(bob).slice(0, 4), limit, cursor },
            alice,
          ),
        ({ actors }) => actors,
      )
      const dids = found.map(({ did }) => did)
      expect(dids[0]).toBe(bob)
      expect(new Set(dids)).toEqual(new Set([bob, moe, ...fans, eve]))
      expect(dids.length).toBe(new Set(dids).size)
    }
  })

  test('for accounts shows each once and misses none, even if some become known meanwhile', async () => {
    const { here, double } = await createTwoWorlds(() => {})
    const late = fans.slice(0, 4)
    // The public AppView repeats some of them.
    const all = [bob, moe, ...fans, moe, eve, fans[0]!, fans[7]!]
    double.answer('app.bsky.actor.searchActors', everybody(all))
    type Page = { actors: View[]; cursor?: string }
    const q = handleOf(bob).slice(0, 4)
    let pages = 0
    const found = await allPages(
      async (cursor) => {
        // An account that becomes known here is found here too, but the page with its place is
        // already past.
        const did = late[pages++]
        if (did) {
          here.profile(did, { displayName: q })
          here.handle(did, handleOf(did))
          searchable(here)
        }
        const query = { q, limit: 2, cursor }
        return here.get<Page>('app.bsky.actor.searchActors', query, alice)
      },
      ({ actors }) => actors,
    )
    const dids = found.map(({ did }) => did)
    expect(new Set(dids)).toEqual(new Set([bob, moe, ...fans, eve]))
    expect(dids).toHaveLength(new Set(dids).size)
    const bad = await here.ask('app.bsky.actor.searchActors', { q, cursor: '1__5~%' }, alice)
    expect(bad.status).toBe(400)
  })

  test('while typing asks elsewhere only for the rest, and not at all for a single letter', async () => {
    const { here, double } = await createTwoWorlds(() => {})
    const NSID = 'app.bsky.actor.searchActorsTypeahead'
    double.answer(NSID, everybody([bob, fans[0]!, mallory, fans[1]!]))
    const get = (q: string, limit = 10) =>
      here
        .get<{ actors: View[] }>(NSID, { q, limit }, alice)
        .then(({ actors }) => actors.map(({ did }) => did))
    expect(await get(handleOf(bob).slice(0, 4))).toEqual([bob, fans[0], fans[1]])
    const requested = double.asked.length
    expect(await get('q')).toEqual([])
    expect(await get(handleOf(bob), 1)).toEqual([bob])
    expect(double.asked.length).toBe(requested)
  })

  test('for posts continues elsewhere, and leaves out local ones and those of blocked authors', async () => {
    const posts: RecordId[] = []
    const { here, there, double } = await createTwoWorlds((w) => {
      for (const did of [bob, eve, mallory, fans[0]!]) posts.push(w.post(did, 'about cats'))
    })
    const all = await there.get<{ posts: Post[] }>('app.bsky.feed.getPosts', {
      uris: posts.map(({ uri }) => uri),
    })
    double.answer('app.bsky.feed.searchPosts', { posts: all.posts, hitsTotal: 4 })
    const page = await here.get<{ posts: Post[]; hitsTotal?: number }>(
      'app.bsky.feed.searchPosts',
      { q: 'cats' },
      alice,
    )
    expect(page.posts.map(({ author }) => author.did)).toEqual([bob, eve, fans[0]])
    expect(page.hitsTotal).toBeUndefined()
  })

  test('for a stranger’s posts, which are not here, gives what is elsewhere, and nothing that is not known', async () => {
    const posts: RecordId[] = []
    const { here, there, double } = await createTwoWorlds((w) => {
      posts.push(w.post(eve, 'about cats'))
    })
    const uris = posts.map(({ uri }) => uri)
    const all = await there.get<{ posts: Post[] }>('app.bsky.feed.getPosts', { uris })
    const search = (q: string, viewer?: string) =>
      here.ask<{ posts: Post[] }>('app.bsky.feed.searchPosts', { q, author: eve }, viewer)
    double.answer('app.bsky.feed.searchPosts', { posts: all.posts })
    for (const viewer of [alice, undefined]) {
      const { status, body } = await search('cats', viewer)
      expect([status, body.posts.map(({ uri }) => uri)]).toEqual([200, uris])
    }
    double.answer('app.bsky.feed.searchPosts', { posts: [] })
    expect(await search('dogs')).toMatchObject({ status: 200, body: { posts: [] } })
    double.misbehave({ status: 500 })
    expect(await search('mice')).toMatchObject({ status: 503, body: { error: 'NotKnownHere' } })
  })

  test('refuses a cursor that was made for another request', async () => {
    const { here, double } = await createTwoWorlds(() => {})
    double.answer('app.bsky.actor.searchActors', everybody(people.slice(1)))
    const NSID = 'app.bsky.actor.searchActors'
    const { cursor } = await here.get<{ cursor: string }>(NSID, { q: 'zzz', limit: 2 }, alice)
    expect(cursor).toMatch(/^elsewhere_/)
    const others = [
      [NSID, { q: 'zzy', cursor }],
      ['app.bsky.graph.getFollowers', { actor: eve, cursor }],
      [NSID, { q: 'zzz', cursor: cursor.replace('_1_', '_2_') }],
      [NSID, { q: 'zzz', cursor: 'elsewhere_' }],
      [NSID, { q: 'zzz', cursor: `elsewhere_1_${'A'.repeat(5000)}.aaaaaaaaaaa` }],
    ] as const
    for (const [nsid, query] of others)
      expect((await here.ask(nsid, query, alice)).status).toBe(400)
    expect((await here.ask(NSID, { q: 'zzz', cursor }, alice)).status).toBe(200)
  })
})

describe('by key', () => {
  test('missing posts are fetched from elsewhere, in the requested order', async () => {
    const posts: RecordId[] = []
    const { here, double } = await createTwoWorlds((w) => {
      for (const did of [eve, bob, mallory, fans[0]!, bob]) posts.push(w.post(did, `by ${did}`))
      w.like(alice, posts[0]!)
    })
    const uris = posts.map(({ uri }) => uri)
    const page = await here.get<{ posts: Post[] }>('app.bsky.feed.getPosts', { uris }, alice)
    expect(page.posts.map(({ uri }) => uri)).toEqual([uris[0], uris[1], uris[3], uris[4]])
    expect(page.posts[0]?.viewer?.['like']).toMatch(/^at:/)
    expect(
      double.askedFor('app.bsky.feed.getPosts').flatMap(({ uris: requested }) => requested),
    ).not.toContain(uris[1])
    await here.get('app.bsky.feed.getPosts', { uris: [uris[1]!, uris[4]!] }, alice)
    expect(double.askedFor('app.bsky.feed.getPosts')).toHaveLength(1)
  })

  test('feeds, starter packs and labelers are too, and only those requested', async () => {
    const { here, double } = await createTwoWorlds(() => {})
    const creator = { did: fans[0]!, handle: handleOf(fans[0]!) }
    const base = {
      cid: 'bafyreifn5jik2ipdgsyttb45edguxkd5ury26t56lmkzor7t4jefleh5wy',
      indexedAt: '2026-01-01T00:00:00.000Z',
      creator,
    }
    const uri = (name: string) => `at://${fans[0]}/app.bsky.feed.generator/${name}`
    const feed = (name: string) => ({
      ...base,
      uri: uri(name),
      did: 'did:web:feeds.test',
      displayName: name,
    })
    double.answer('app.bsky.feed.getFeedGenerators', { feeds: [feed('c'), feed('b'), feed('a')] })
    const { feeds } = await here.get<{ feeds: { uri: string }[] }>(
      'app.bsky.feed.getFeedGenerators',
      { feeds: [uri('a'), uri('b')] },
      undefined,
    )
    expect(feeds.map((feed) => feed.uri)).toEqual([uri('a'), uri('b')])
    double.answer('app.bsky.labeler.getServices', {
      views: [
        {
          $type: 'app.bsky.labeler.defs#labelerView',
          ...base,
          uri: `at://${fans[0]}/app.bsky.labeler.service/self`,
        },
      ],
    })
    const { views } = await here.get<{ views: { creator: View }[] }>(
      'app.bsky.labeler.getServices',
      { dids: [fans[0]!] },
      undefined,
    )
    expect(views.map((view) => view.creator.did)).toEqual([fans[0]])
  })

  test('a handle is believed only if its account confirms it', async () => {
    const NSID = 'com.atproto.identity.resolveHandle'
    const claims = { [eve]: 'eve.example.com' }
    const { here, double } = await createTwoWorlds(() => {}, { handles: {}, claims })
    double.answer(NSID, ({ handle }: Record<string, unknown>) => ({
      did: handle === 'nobody.example.com' ? mallory : eve,
    }))
    expect(await here.get(NSID, { handle: 'Eve.example.com' })).toEqual({ did: eve })
    for (const handle of ['nobody.example.com', 'other.example.com']) {
      expect(await here.ask(NSID, { handle })).toMatchObject({ status: 400 })
    }
  })
})

test('a feed shows posts that came from nowhere else', async () => {
  const generator = createFeedGeneratorDouble()
  const posts: RecordId[] = []
  const services = { [generator.did]: generator.services }
  const { here } = await createTwoWorlds(
    (w) => {
      for (const did of [bob, fans[0]!, mallory]) posts.push(w.post(did, `by ${did}`))
    },
    { fetch: generator.fetch, services },
  )
  const feed = here.write({
    did: bob,
    collection: 'app.bsky.feed.generator',
    record: { did: generator.did, displayName: 'Cats', createdAt: here.isoNow() },
    rkey: 'cats',
  })
  generator.says({
    body: { reqId: 'r', feed: posts.map(({ uri }) => ({ post: uri, feedContext: 'c' })) },
  })
  const page = await here.get<{ feed: { post: Post; feedContext: string; reqId: string }[] }>(
    'app.bsky.feed.getFeed',
    { feed: feed.uri },
    undefined,
  )
  const visible = page.feed.map(({ post }) => post.uri)
  expect(visible).toEqual(posts.map(({ uri }) => uri))
  expect(page.feed.map(({ reqId }) => reqId)).toEqual(['r', 'r', 'r'])
  const hers = await here.get<{ feed: { post: Post }[] }>(
    'app.bsky.feed.getFeed',
    { feed: feed.uri },
    alice,
  )
  expect(hers.feed.map(({ post }) => post.uri)).toEqual([visible[0], visible[1]])
})
