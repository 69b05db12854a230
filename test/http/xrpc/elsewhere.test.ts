// Who knows what is not here: a step around the answers of some methods, and posts of feeds. Here it is a second
// world, asked without a network.

import { afterEach, expect, test } from 'vitest'
import type { Elsewhere } from '../../../src/http/xrpc/elsewhere.ts'
import { createFeedGeneratorDouble } from '../../support/feed-generator-double.ts'
import { didOf } from '../../support/records.ts'
import {
  createServingWorld,
  type Query,
  type ServingOptions,
  type ServingWorld,
} from '../../support/serving-world.ts'

const PROFILE = 'app.bsky.actor.getProfile'
const POSTS = 'app.bsky.feed.getPosts'
const AUTHOR_FEED = 'app.bsky.feed.getAuthorFeed'
const LABELER = didOf('labeler')
const [alice, bob, eve] = ['alice', 'bob', 'eve'].map(didOf) as [string, string, string]

const worlds: ServingWorld[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.dispose()
})

function serve(options: ServingOptions = {}): ServingWorld {
  const world = createServingWorld({ members: ['alice'], ...options })
  worlds.push(world)
  return world
}

/** Answers these methods from a world that holds everything; what that does not know is answered by ours. */
function from(there: ServingWorld, methods: readonly string[]): Elsewhere {
  return {
    around: (_app, { nsid }, answer) =>
      methods.includes(nsid)
        ? async (call) => {
            const { status, body } = await there.ask(nsid, call.params as Query)
            return status === 200 ? { body } : answer(call)
          }
        : undefined,
    async posts(_own, _call, uris) {
      const { posts } = await there.get<{ posts: { uri: string }[] }>(POSTS, { uris })
      return new Map(posts.map((view) => [view.uri, view]))
    },
  }
}

function startThere(): ServingWorld {
  const there = serve({ scope: 'network' })
  there.profile(eve, { displayName: 'Eve' })
  there.handle(eve, 'eve.test')
  return there
}

test('by default nobody else knows anything', async () => {
  const here = serve({ absent: [eve] })
  expect(await here.ask(PROFILE, { actor: eve })).toMatchObject({
    status: 400,
    body: { message: 'Profile not found' },
  })
})

test('a step answers its methods; the answer names the labelers as ours does', async () => {
  const there = startThere()
  const here = serve({
    absent: [eve],
    labelers: [LABELER],
    elsewhere: () => from(there, [PROFILE]),
  })
  const { body, headers } = await here.ask(PROFILE, { actor: eve }, alice)
  expect(body).toMatchObject({ did: eve, displayName: 'Eve' })
  expect(headers.get('atproto-content-labelers')).toBe(`${LABELER};redact`)
  expect(await here.ask(PROFILE, { actor: bob })).toMatchObject({ status: 503 })
  expect(await here.get(POSTS, { uris: [there.post(eve, 'hello').uri] })).toMatchObject({
    posts: [],
  })
})

test('what a method is ready for is its step’s to wait for', () => {
  const there = startThere()
  const readyOf = ({ methods }: ServingWorld) =>
    methods.filter(({ ready }) => ready).map(({ nsid }) => nsid)
  const alone = readyOf(serve())
  expect(alone).toContain(AUTHOR_FEED)
  const asking = readyOf(serve({ elsewhere: () => from(there, [AUTHOR_FEED]) }))
  expect(asking).toEqual(alone.filter((nsid) => nsid !== AUTHOR_FEED))
})

test('a feed has posts that are known elsewhere in its order', async () => {
  const there = startThere()
  const generator = createFeedGeneratorDouble()
  const here = serve({
    services: { [generator.did]: generator.services },
    fetch: generator.fetch,
    elsewhere: () => from(there, []),
  })
  here.follow(alice, bob)
  here.profile(bob)
  const feed = here.create(bob, 'app.bsky.feed.generator', { did: generator.did, displayName: 'x' })
  const uris = [there.post(eve, 'theirs'), here.post(bob, 'ours'), there.post(eve, 'too')].map(
    ({ uri }) => uri,
  )
  generator.says({ body: { feed: uris.map((post) => ({ post })) } })
  type Feed = { feed: { post: { uri: string } }[] }
  const page = await here.get<Feed>('app.bsky.feed.getFeed', { feed: feed.uri }, alice)
  expect(page.feed.map(({ post }) => post.uri)).toEqual(uris)
})

test('it hears which posts’ counts were read', async () => {
  const read: number[] = []
  const elsewhere = {
    ...from(startThere(), []),
    postsRead: (ids: Iterable<number>) => void read.push(...ids),
  }
  const here = serve({ elsewhere: () => elsewhere })
  here.follow(alice, bob)
  here.profile(bob)
  const { uri } = here.post(bob, 'hello')
  await here.get(POSTS, { uris: [uri] }, alice)
  expect(read).toHaveLength(1)
})
