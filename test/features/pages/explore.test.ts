// The explore view against real answers: over worlds of lossy readers, celebrities, mutes, blocks and
// reposts, the items it marks as served are those that getTimeline returns, page by page, and those it marks
// as left out are absent.

import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import { createHydrator } from '../../../src/answers/hydrate/hydrator.ts'
import { createMediaUrls } from '../../../src/answers/views/media-urls.ts'
import { loadConfig } from '../../../src/base/config/config.ts'
import { CallTime } from '../../../src/base/util/turn.ts'
import { setMemberSeen } from '../../../src/data/store/members/members.ts'
import type { accountView } from '../../../src/features/pages/explore/account.ts'
import type { createPostView } from '../../../src/features/pages/explore/post.ts'
import type { proofView } from '../../../src/features/pages/explore/proof.ts'
import { exploreRoutes } from '../../../src/features/pages/explore/routes.ts'
import type { createTimelineView } from '../../../src/features/pages/explore/timeline.ts'
import { createAvailability } from '../../../src/features/pages/histories.ts'
import { storesFromRows } from '../../support/memory-parts.ts'
import { createRandom } from '../../support/random.ts'
import { referenceUrlPatterns } from '../../support/reference-appview.ts'
import { testSeed } from '../../support/seed.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'

type Reading = ReturnType<ReturnType<typeof createTimelineView>>
type TimelinePage = Reading extends Generator<void, infer Page> ? Page : never

const TOKEN = 'a-token-of-the-operator'
const LIMIT = 4
const TIMELINE = 'app.bsky.feed.getTimeline'

const worlds: ServingWorld[] = []
afterEach(() => {
  for (const scene of worlds.splice(0)) scene.dispose()
})

function world(): ServingWorld {
  const made = createServingWorld({ reasonableLimit: LIMIT, celebrityThreshold: 3 })
  worlds.push(made)
  return made
}

function explorer({ world }: ServingWorld, time?: CallTime) {
  const { memory, actors, graph } = world
  const hydrator = createHydrator({
    db: world.reader,
    actors,
    graph,
    urls: createMediaUrls(referenceUrlPatterns),
  })
  const app = new Hono().route(
    '/explore/api',
    exploreRoutes({
      db: world.reader,
      actors,
      graph,
      hydrator,
      timelines: memory.timelines,
      ...storesFromRows(world.reader, memory, LIMIT),
      reasonableLimit: LIMIT,
      config: {
        ...loadConfig({}, '/nowhere'),
        operatorToken: TOKEN,
        labelers: [],
      },
      status: () => undefined,
      slowRequests: { list: () => [] },
      availability: createAvailability({ db: world.reader }),
    }),
  )
  return async <T>(what: string, query: Record<string, string>, status = 200): Promise<T> => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    const path = `/explore/api/${what}?${new URLSearchParams(query)}`
    const ask = () => app.request(path, { headers })
    const answer = await (time ? time.run(ask) : ask())
    const body = await answer.text()
    expect(answer.status, body).toBe(status)
    return JSON.parse(body) as T
  }
}

type Feed = { feed: { post: { uri: string }; reason?: { by: { did: string } } }[]; cursor?: string }

/** Ten accounts that post, reply, quote, repost, follow, mute and block at random. */
function randomWorld(made: ServingWorld) {
  const random = createRandom(testSeed('explore'))
  const people = Array.from({ length: 10 }, (_, i) => made.account(`person${i}`))
  const members = people.slice(0, 5)
  for (const did of people) made.profile(did, { displayName: did.slice(-4) })
  for (const did of people) {
    for (const other of people) if (did !== other && random.chance(0.6)) made.follow(did, other)
  }
  for (const did of members) made.member(did)
  const posts = people.map((did) => made.post(did, 'first'))
  for (let i = 0; i < 250; i++) {
    const [did, subject] = [random.pick(people), random.pick(posts)]
    const act = random.below(10)
    if (act < 5) posts.push(made.post(did, `number ${i}`))
    else if (act < 7) posts.push(made.post(did, { text: 'reply', reply: { parent: subject } }))
    else made.create(did, 'app.bsky.feed.repost', { subject })
  }
  const [reader, muted, blocked] = members as [string, string, string]
  made.request({ id: 1, kind: 'mute', did: reader, subjectDid: muted })
  made.block(reader, blocked)
  return { members, posts, reader, muted, blocked }
}

describe('the explore view', () => {
  test('marks exactly the served items as served, for every member', async () => {
    const made = world()
    const { members } = randomWorld(made)
    const ask = explorer(made)
    for (const actor of members) {
      const messages: string[] = []
      let cursor: string | undefined
      do {
        const page = await ask<TimelinePage>('timeline', {
          actor,
          ...(cursor && { cursor }),
        })
        const served = page.items.filter(({ isServed }) => isServed)
        messages.push(...served.map(({ uri, repostedBy }) => `${uri} ${repostedBy?.did ?? ''}`))
        for (const { isServed, verdict } of page.items) {
          expect(isServed && verdict.against.length > 0).toBe(false)
          if (!isServed) expect([...verdict.against, ...verdict.notes]).not.toEqual([])
        }
        cursor = page.cursor
      } while (cursor)
      const really: string[] = []
      do {
        const page: Feed = await made.get<Feed>(TIMELINE, { limit: 30, cursor }, actor)
        really.push(...page.feed.map(({ post, reason }) => `${post.uri} ${reason?.by.did ?? ''}`))
        cursor = page.cursor
      } while (cursor)
      expect([...messages].sort()).toEqual([...really].sort())
    }
  })

  test('shows for each post which account could bring it and what removes it', async () => {
    const made = world()
    const { posts, reader, muted, blocked } = randomWorld(made)
    const ask = explorer(made)
    const feed = await made.get<Feed>(TIMELINE, { limit: 100 }, reader)
    const served = new Set(feed.feed.map(({ post }) => post.uri))
    for (const { uri } of posts.slice(-40)) {
      const { checks, items } = await ask<ReturnType<ReturnType<typeof createPostView>>>('post', {
        actor: reader,
        uri,
      })
      const isFree = items.some(({ verdict }) => verdict.against.length === 0)
      if (served.has(uri)) expect(isFree, uri).toBe(true)
      if (!isFree && items.length > 0) expect(checks.at(-1)!.isMet).toBe(false)
      const author = uri.split('/')[2]
      const words = items.flatMap(({ verdict }) => verdict.against).join()
      if (author === muted && items.length > 0) expect(words).toContain('muted')
      if (author === blocked && items.length > 0) expect(words).toContain('block')
    }
    const absent = await ask<ReturnType<ReturnType<typeof createPostView>>>('post', {
      actor: reader,
      uri: 'at://did:plc:x/a/b',
    })
    expect(absent.checks).toEqual([{ text: expect.any(String), isMet: false }])
    const { uri } = feed.feed[0]!.post
    const [, , did, , rkey] = uri.split('/')
    const here = [`https://bsky.app/profile/${did}/post/${rkey}`, uri]
    const [paged, plain] = await Promise.all(
      here.map((address) => ask('post', { actor: reader, uri: address })),
    )
    expect(paged).toEqual(plain)
    expect((paged as { checks: object[] }).checks[0]).toMatchObject({ text: 'The post is here.' })
  })

  test('is charged for what it does after waiting', async () => {
    const made = world()
    const { reader, posts } = randomWorld(made)
    let turns = 0
    const ask = explorer(
      made,
      new CallTime({
        turnMs: Number.POSITIVE_INFINITY,
        onUsed() {
          turns += 1
        },
      }),
    )
    for (const [what, query] of [
      ['timeline', { actor: reader }],
      ['post', { actor: reader, uri: posts[0]!.uri }],
    ] as const) {
      turns = 0
      await ask(what, query)
      expect([what, turns]).toEqual([what, 2])
    }
  })

  test('shows many items and members in several turns, and the same of them', async () => {
    const made = world()
    const [reader, author] = [made.account('reader'), made.account('author')]
    for (const did of [reader, author]) made.member(did)
    made.follow(reader, author)
    for (let i = 0; i < 150; i++) made.post(author, `number ${i}`)
    for (let i = 0; i < 150; i++) made.member(made.account(`member ${i}`))
    let clockMs = 0
    let turns = 0
    const clock = () => (clockMs += 30)
    const hurried = new CallTime({ turnMs: 20, clock, onUsed: () => (turns += 1) })
    for (const [what, query] of [
      ['timeline', { actor: reader }],
      ['members', {}],
    ] as const) {
      const plain = await explorer(made)(what, query)
      turns = 0
      expect(await explorer(made, hurried)(what, query)).toEqual(plain)
      // Parts of at most 24.
      expect(turns, what).toBeGreaterThan(150 / 24)
    }
  })

  test('says of a stranger’s post that the reader’s own repost brought it', async () => {
    const made = world()
    const [reader, stranger] = [made.account('reader'), made.account('stranger')]
    made.member(reader)
    made.member(stranger)
    const post = made.post(stranger)
    const { uri } = post
    made.create(reader, 'app.bsky.feed.repost', { subject: post })
    const { checks, items } = await explorer(made)<ReturnType<ReturnType<typeof createPostView>>>(
      'post',
      { actor: reader, uri },
    )
    expect(items.map(({ verdict }) => verdict.against)).toEqual([[]])
    expect(checks.map(({ text }) => text)).toContain('The reader reposted it.')
  })

  test('shows how lossy a reader is, and how much of them is in memory', async () => {
    const made = world()
    const { reader } = randomWorld(made)
    const ask = explorer(made)
    const follows = made.graph.followsCount(made.uid(reader))
    const account = await ask<ReturnType<typeof accountView>>('account', { actor: reader })
    expect(account).toMatchObject({ did: reader, isMember: true, follows })
    expect(account.keepShare).toBeCloseTo(Math.min(1, LIMIT / follows))
    expect(account.ring!.items).toBeGreaterThan(0)
  })

  test('shows social proof as the known followers that clients get', async () => {
    const made = world()
    const { members } = randomWorld(made)
    const ask = explorer(made)
    for (const viewer of members) {
      for (const subject of members.filter((did) => did !== viewer)) {
        const proof = await ask<ReturnType<typeof proofView>>('proof', { viewer, subject })
        const page = await made.get<{ followers: { did: string }[] }>(
          'app.bsky.graph.getKnownFollowers',
          { actor: subject, limit: 100 },
          viewer,
        )
        expect(proof.count).toBeGreaterThanOrEqual(page.followers.length)
        const known = proof.known.map(({ did }) => did)
        for (const { did } of page.followers) expect(known).toContain(did)
      }
    }
  })

  test('finds accounts by handle, and explains what it cannot answer', async () => {
    const made = world()
    const { reader } = randomWorld(made)
    made.handle(reader, 'reader.test')
    const ask = explorer(made)
    expect(
      (await ask<ReturnType<typeof accountView>>('account', { actor: '@Reader.test' })).did,
    ).toBe(reader)
    const lost = await ask<{ message: string }>('account', { actor: 'nobody.test' }, 400)
    expect(lost.message).toContain('nobody.test is not known here')
    await ask('timeline', { actor: reader, cursor: 'nonsense' }, 400)
    await ask('account', {}, 400)
  })
})

test('suggests members by name, those who read last first', async () => {
  const w = world()
  const [alice, bob] = ['alice', 'bob'].map((name) => w.account(name)) as [string, string]
  w.account('carol')
  for (const did of [alice, bob]) {
    w.tick(1_000)
    w.member(did)
    w.profile(did, { displayName: did.slice(-3) })
    w.run((ctx) => setMemberSeen(ctx.db, w.uid(did), w.now()))
  }
  w.handle(bob, 'bob.example.org')
  const { members } = await explorer(w)<{ members: object[] }>('members', {})
  expect(members).toEqual([
    { did: bob, handle: 'bob.example.org', name: bob.slice(-3) },
    { did: alice, handle: 'handle.invalid', name: alice.slice(-3) },
  ])
})
