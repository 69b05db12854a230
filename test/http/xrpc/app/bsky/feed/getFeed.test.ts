// getFeed over a scripted generator: how its choice of posts is shown, what is forwarded to it, how its
// failures are answered, and that the feed at the end of Following never fails.

import { afterEach, describe, expect, test } from 'vitest'
import { createFeedGeneratorDouble } from '../../../../../support/feed-generator-double.ts'
import { didOf } from '../../../../../support/records.ts'
import {
  createServingWorld,
  type ServingOptions,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'
import type { RecordId } from '../../../../../support/world.ts'

const NSID = 'app.bsky.feed.getFeed'
const GENERATOR = 'app.bsky.feed.generator'
const DISCOVER = 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot'
const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]

type Item = {
  post: { uri: string; author: { did: string } }
  reason?: { $type: string }
  feedContext?: string
  reqId?: string
}
type Page = { feed: Item[]; cursor?: string }

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

function start(options: ServingOptions = {}) {
  const double = createFeedGeneratorDouble()
  const services = { [double.did]: double.services }
  world = createServingWorld({
    scope: 'network',
    members: ['alice'],
    fetch: double.fetch,
    services,
    ...options,
  })
  for (const did of [alice, bob, carol]) {
    world.profile(did, { displayName: 'somebody' })
    world.handle(did, `${did.slice(-8)}.test`)
  }
  const feed = world.write({
    did: bob,
    collection: GENERATOR,
    record: { did: double.did, displayName: 'Cats', createdAt: world.isoNow() },
    rkey: 'cats',
  })
  const ask = (query: Record<string, string | number> = {}, viewer: string | undefined = alice) =>
    world!.ask<Page>(NSID, { feed: feed.uri, ...query }, viewer)
  const get = (query: Record<string, string | number> = {}, viewer: string | undefined = alice) =>
    world!.get<Page>(NSID, { feed: feed.uri, ...query }, viewer)
  return { w: world, double, feed, ask, get }
}

const uris = ({ feed }: Page) => feed.map(({ post }) => post.uri)
const chosen = (...posts: RecordId[]) => posts.map(({ uri }) => ({ post: uri }))

describe('a feed', () => {
  test('shows the posts its generator chose, in its order, with its feedContext', async () => {
    const { w, double, get } = start()
    const posts = [w.post(bob, 'one'), w.post(carol, 'zwei ü'), w.post(bob, 'three')] as const
    double.says({
      body: {
        cursor: 'next',
        reqId: 'r1',
        feed: [
          { post: posts[1].uri, feedContext: 'because "ü"' },
          { post: posts[2].uri },
          { post: posts[0].uri },
        ],
      },
      headers: { 'content-language': 'de' },
    })
    const page = await get({ limit: 10 })
    expect(uris(page)).toEqual([posts[1].uri, posts[2].uri, posts[0].uri])
    expect(page.feed.map(({ feedContext }) => feedContext)).toEqual([
      'because "ü"',
      undefined,
      undefined,
    ])
    expect(page.feed.map(({ reqId }) => reqId)).toEqual(['r1', 'r1', 'r1'])
    expect(page.cursor).toBe('next')
  })

  test('passes on the generator’s other page fields, and reports timings', async () => {
    const { w, double, ask } = start()
    const post = w.post(bob, 'one')
    const further = { interactions: ['seen', { kind: 'like' }], ttl: 5 }
    const own = { url: 'https://feeds.test/one' }
    double.says({ body: { ...further, feed: [{ post: post.uri, own }], cursor: 'c2' } })
    const { body, headers } = await ask()
    const { feed, ...rest } = body
    expect(rest).toEqual({ ...further, cursor: 'c2' })
    expect(Object.keys(feed[0]!)).toEqual(['post'])
    expect(headers.get('server-timing')).toMatch(/^skele;dur=\d+, hydr;dur=\d+$/)
  })

  test('is requested on the member’s behalf: token, limit and cursor are forwarded', async () => {
    const { w, double, ask, feed } = start()
    double.says({ body: { feed: chosen(w.post(bob, 'one')), cursor: 'c2' } })
    expect((await ask({ limit: 7, cursor: 'c1' }, `${alice}~generator`)).status).toBe(200)
    const [{ url, headers }] = double.requested as [(typeof double.requested)[number]]
    expect(url.pathname).toBe('/xrpc/app.bsky.feed.getFeedSkeleton')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      feed: feed.uri,
      limit: '7',
      cursor: 'c1',
    })
    expect(headers['authorization']).toBe(`Bearer ${alice}~generator`)
  })

  test('gets the language, the topics and every protocol header of the client', async () => {
    const { w, double, feed } = start()
    double.says({ body: { feed: chosen(w.post(bob, 'one')) } })
    const sent = async (headers: Record<string, string>) => {
      const query = { feed: feed.uri }
      const { status } = await w.ask('app.bsky.feed.getFeed', query, alice, headers)
      expect(status).toBe(200)
      return double.requested.at(-1)!.headers
    }
    const all = await sent({
      'accept-language': 'de',
      'x-atproto-bsky-topics': 'cats,tea',
      'x-atproto-else': '1',
      'x-other': '2',
      cookie: 'secret',
    })
    expect(all).toMatchObject({
      'accept-language': 'de',
      'x-atproto-bsky-topics': 'cats,tea',
      'x-atproto-else': '1',
    })
    expect([all['x-other'], all['cookie'], all['x-bsky-topics']]).toEqual(Array(3).fill(undefined))
    const old = await sent({ 'x-bsky-topics': 'tea' })
    expect(old).toMatchObject({ 'x-bsky-topics': 'tea', 'x-atproto-bsky-topics': 'tea' })
  })

  test('shows reposts with their reposter, pins as pins, and drops reposts of another post', async () => {
    const { w, double, get } = start()
    const [first, two] = [w.post(bob, 'one'), w.post(bob, 'two')]
    const repost = w.repost(carol, first)
    const reason = { $type: 'app.bsky.feed.defs#skeletonReasonRepost', repost: repost.uri }
    double.says({
      body: {
        feed: [
          { post: two.uri, reason: { $type: 'app.bsky.feed.defs#skeletonReasonPin' } },
          { post: first.uri, reason },
          { post: two.uri, reason },
          { post: two.uri },
        ],
      },
    })
    const page = await get()
    expect(uris(page)).toEqual([two.uri, first.uri, two.uri])
    expect(page.feed.map((item) => item.reason?.$type.split('#')[1])).toEqual([
      'reasonPin',
      'reasonRepost',
      undefined,
    ])
  })

  test('leaves out blocked, muted and deleted posts, and those beyond the limit', async () => {
    const { w, double, get } = start()
    const gone = w.post(bob, 'gone')
    const posts = [w.post(bob, 'one'), w.post(carol, 'blocked'), gone, w.post(bob, 'two')]
    w.block(alice, carol)
    w.delete(gone)
    double.says({ body: { feed: chosen(...posts, ...posts) } })
    expect(uris(await get({ limit: 4 }))).toEqual([posts[0]!.uri, posts[3]!.uri])
    expect(uris(await get({ limit: 4 }, ''))).toHaveLength(3)
  })

  test('waits a moment for missing posts, and leaves out those that do not arrive', async () => {
    const { w, double, get } = start({ queuesFetchRequests: true })
    const here = w.post(bob, 'here')
    const [late, never] = ['late', 'never'].map(
      (name) => `at://${carol}/app.bsky.feed.post/3${name === 'late' ? 'l' : 'n'}aaaaaaaaaaa`,
    ) as [string, string]
    double.says({ body: { feed: [{ post: late }, { post: never }, ...chosen(here)] } })
    const page = get()
    await expect.poll(() => w.sent.filter(({ kind }) => kind === 'fetch-requested')).not.toEqual([])
    w.fetched({
      uri: late,
      record: { $type: 'app.bsky.feed.post', text: 'x', createdAt: w.isoNow() },
    })
    expect(uris(await page)).toEqual([late, here.uri])
    const fetchRequests = w.sent.flatMap((item) =>
      item.kind === 'fetch-requested' ? item.uris : [],
    )
    expect(new Set(fetchRequests)).toEqual(new Set([late, never]))
  })

  test.each([
    ['an empty page', { feed: [], cursor: 'more' }],
    ['a page whose cursor leads to itself', { feed: [], cursor: 'c1' }],
    ['a page with an explicit null', { feed: [], cursor: null }],
  ])('ends at %s', async (_, body) => {
    const { double, get } = start()
    double.says({ body })
    expect(await get({ cursor: 'c1' })).toEqual({ feed: [] })
  })
})

describe('a feed fails', () => {
  test.each([
    [
      'reports an error',
      { status: 401, body: { error: 'AuthenticationRequired', message: 'who?' } },
      401,
      'AuthenticationRequired',
    ],
    [
      'fails',
      { status: 500, body: { error: 'InternalServerError', message: 'ouch' } },
      502,
      'InternalServerError',
    ],
    ['answers with HTML', { body: '<html>' }, 502, 'InvalidFeedResponse'],
    [
      'has fields without end',
      { body: { feed: [], more: Array(30_000).fill({}) } },
      502,
      'InvalidFeedResponse',
    ],
    ['names invalid posts', { body: { feed: [{ post: 'nonsense' }] } }, 502, 'InvalidFeedResponse'],
    ['is unreachable', undefined, 502, 'UpstreamFailure'],
  ] as const)('if its generator %s', async (_, answer, status, error) => {
    const { double, ask } = start()
    double.says(answer)
    expect(await ask()).toMatchObject({ status, body: { error } })
  })

  test('if it does not exist, or its service cannot be found', async () => {
    const { ask } = start({ services: {} })
    expect(await ask({ feed: `at://${didOf('nobody')}/${GENERATOR}/dogs` })).toMatchObject({
      status: 400,
      body: { error: 'InvalidRequest', message: 'could not find feed' },
    })
    expect((await ask()).body).toMatchObject({
      message: expect.stringMatching(/^invalid feed generator service details/),
    })
  })
})

describe('the feed at the end of Following', () => {
  const peek = async ({ w }: ReturnType<typeof start>, query = {}, viewer?: string) => {
    const { feed, cursor } = await w.get<Page>(NSID, { feed: DISCOVER, ...query }, viewer)
    expect(cursor).toBeUndefined()
    return feed.map(({ post, reason }) => (reason ? 'reposted' : post.uri))
  }

  test('shows new posts of Following where no generator can be asked', async () => {
    const started = start()
    const { w } = started
    w.follow(alice, bob)
    const known = w.post(bob)
    expect(await peek(started, { limit: 1 }, alice)).toEqual([known.uri])
    const fresh = w.post(bob)
    expect(await peek(started, { limit: 1 }, alice)).toEqual([fresh.uri])
    for (let i = 0; i < 12; i++) w.post(alice)
    expect(await peek(started, { limit: 1 }, alice)).toEqual([fresh.uri])
    expect(await peek(started, { limit: 30 }, alice)).toEqual([fresh.uri, known.uri])
    expect(await peek(started, { limit: 30, cursor: 'further' }, alice)).toEqual([])
    expect(await peek(started)).toEqual([])
  })

  test('leaves out reposts of strangers who do not want to be recommended, but not of others', async () => {
    const started = start()
    const { w } = started
    w.follow(alice, bob)
    w.repost(bob, w.post(carol))
    const own = w.repost(bob, w.post(bob, 'mine'))
    expect(own).toBeDefined()
    expect(await peek(started, { limit: 30 }, alice)).toHaveLength(3)
    const type = 'app.bsky.actor.contentVisibilityDeclaration'
    for (const did of [bob, carol]) {
      w.create(did, type, { hideFromAlgorithmicRecommendations: true }, 'self')
    }
    expect(await peek(started, { limit: 30 }, alice)).toHaveLength(2)
    w.follow(alice, carol)
    expect(await peek(started, { limit: 30 }, alice)).toHaveLength(4)
  })

  test('leaves out accounts the viewer mutes', async () => {
    const started = start()
    const { w } = started
    for (const value of [bob, carol]) w.follow(alice, value)
    const heard = w.post(carol)
    w.post(bob)
    w.mute(alice, bob)
    expect(await peek(started, { limit: 1 }, alice)).toEqual([heard.uri])
  })

  test('is empty where no generator can be asked, and its record is there for the PDS', async () => {
    const { w } = start()
    expect(await w.get<Page>(NSID, { feed: DISCOVER }, alice)).toEqual({ feed: [] })
    const [, , repo, collection, rkey] = DISCOVER.split('/')
    const record = await w.get<{ uri: string; value: { did: string } }>(
      'com.atproto.repo.getRecord',
      { repo, collection, rkey },
    )
    expect(record).toMatchObject({ uri: DISCOVER, value: { did: 'did:web:discover.bsky.app' } })
  })
})
