// Pages end early when their time is up, also within the reads that look for what is not repeated, and a large
// thread is hydrated some posts at a time: rows that others made hold the thread no longer.

import { afterEach, expect, test } from 'vitest'
import { createReader } from '../../../../src/answers/hydrate/reader.ts'
import type { ThreadState } from '../../../../src/answers/hydrate/thread-types.ts'
import { readThread } from '../../../../src/http/xrpc/posts/thread.ts'
import { hydrateWorld } from '../../../support/hydration.ts'
import { createRandom } from '../../../support/random.ts'
import { randomWorld } from '../../../support/random-world.ts'
import { didOf } from '../../../support/records.ts'
import { allPages, createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'

const [alice, bob] = [didOf('alice'), didOf('bob')]
const SEED = Number(process.env['SEED'] ?? 47)

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

/** @returns a function that makes each look at the clock find the time of a turn gone */
function start(): { w: ServingWorld; hurry: () => void } {
  let clockMs = 0
  let tickMs = 0
  world = createServingWorld({
    scope: 'network',
    members: ['alice'],
    threadMs: () => (clockMs += tickMs),
  })
  for (const did of [alice, bob]) world.profile(did, {})
  return {
    w: world,
    hurry: () => {
      tickMs = 30
    },
  }
}

type Followed = { follows: { did: string }[]; cursor?: string }

test('follows of the same accounts again and again are read page by page, not to the last', async () => {
  const { w, hurry } = start()
  w.follow(bob, alice)
  for (let i = 0; i < 1_200; i++) w.follow(bob, didOf(`carol ${i % 20}`))
  hurry()
  let pages = 0
  const read = (cursor?: string) => {
    pages++
    return w.get<Followed>('app.bsky.graph.getFollows', { actor: bob, limit: 100, cursor })
  }
  const found = await allPages(read, ({ follows }) => follows)
  expect(found.map(({ did }) => did)).toContain(alice)
  expect(pages).toBeGreaterThan(5)
})

test.each([
  { of: 'many accounts', follows: 2_001 },
  { of: 'few accounts, without a ring', follows: 40 },
])('a home timeline from the rows of $of is read some lists at a time', async ({ follows }) => {
  const { w, hurry } = start()
  const posters = 40
  for (let i = 0; i < follows; i++) w.follow(alice, didOf(`many ${i}`))
  for (let i = 0; i < posters; i++) w.post(didOf(`many ${i}`), `post ${i}`)
  w.timelines.close(w.uid(alice))
  type Page = { feed: { post: { uri: string } }[]; cursor?: string }
  const read = async () => {
    const turns = countTurns()
    const page = await w.get<Page>('app.bsky.feed.getTimeline', { limit: 30 }, alice)
    return { uris: page.feed.map(({ post }) => post.uri), turns: turns() }
  }
  const plain = await read()
  expect(plain.uris.length).toBe(30)
  w.post(didOf('many 0'), 'one more')
  const before = await read()
  hurry()
  const hurried = await read()
  expect(hurried.uris).toEqual(before.uris)
  expect(hurried.turns - before.turns).toBeGreaterThan(25)
})

test('a page of a hundred is presented some items a turn, with the same answer', async () => {
  const { w, hurry } = start()
  w.profile(bob, {})
  const root = w.post(bob, 'the root')
  for (let i = 0; i < 98; i++) w.post(bob, `post ${i}`)
  // Its root is in the first part of the page that has it in the last one.
  const reply = { root, parent: root }
  w.post(bob, { text: 'a reply', reply })
  const filters = ['posts_with_replies', 'posts_and_author_threads']
  type Page = { feed: { post: { uri: string } }[]; cursor?: string }
  const read = async (filter: string) => {
    const turns = countTurns()
    const page = await w.get<Page>('app.bsky.feed.getAuthorFeed', {
      actor: bob,
      limit: 100,
      filter,
    })
    return { page, turns: turns() }
  }
  const plain = []
  for (const filter of filters) plain.push(await read(filter))
  hurry()
  for (const [i, filter] of filters.entries()) {
    const { page, turns } = await read(filter)
    expect(page).toEqual(plain[i]!.page)
    expect(page.feed.length).toBe(100)
    expect(turns - plain[i]!.turns).toBeGreaterThan(3)
  }
})

test('a thread of forty replies is hydrated and presented some posts a turn', async () => {
  const { w, hurry } = start()
  const root = w.post(bob, 'the root')
  for (let i = 0; i < 40; i++) w.post(alice, { text: `${i}`, reply: { root, parent: root } })
  const read = async () => {
    const turns = countTurns()
    const answer = await w.get<object>('app.bsky.feed.getPostThread', { uri: root.uri })
    return { answer, turns: turns() }
  }
  const plain = await read()
  hurry()
  const hurried = await read()
  expect(hurried.answer).toEqual(plain.answer)
  expect(hurried.turns - plain.turns).toBeGreaterThan(7)
})

/** @returns a function that says how many turns of the event loop have gone by */
function countTurns(): () => number {
  let turns = 0
  let isOver = false
  const next = () => {
    turns++
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  return () => {
    isOver = true
    return turns
  }
}

test('the members of a list are presented fifty at a time', async () => {
  const { w, hurry } = start()
  const list = w.list(bob, 'people')
  const members = Array.from({ length: 120 }, (_, i) => didOf(`member ${i}`))
  for (const did of members) {
    w.profile(did, {})
    w.write({
      did: bob,
      collection: 'app.bsky.graph.listitem',
      record: { list: list.uri, subject: did, createdAt: w.isoNow() },
    })
  }
  hurry()
  const sizes: number[] = []
  const read = async (cursor?: string) => {
    const query = { list: list.uri, limit: 100, cursor }
    const page = await w.get<{ items: { subject: { did: string } }[]; cursor?: string }>(
      'app.bsky.graph.getList',
      query,
    )
    sizes.push(page.items.length)
    return page
  }
  const found = await allPages(read, ({ items }) => items)
  expect(found.map(({ subject }) => subject.did).sort()).toEqual(members.sort())
  expect(sizes[0]).toBe(50)
})

test('likers of a hundred posts are found ten posts at a time, and others get their turn between', async () => {
  const { w, hurry } = start()
  w.follow(alice, bob)
  const posts = Array.from({ length: 40 }, (_, i) => w.post(didOf('carol'), { text: `post ${i}` }))
  for (const post of posts) w.like(bob, post)
  const uris = posts.map(({ uri }) => uri)
  type Likers = { posts: { uri: string; count: number }[] }
  hurry()
  const order: string[] = []
  const request = w
    .get<Likers>('io.slipstream.feed.getKnownLikers', { uris, likers: 1 }, alice)
    .then((found) => {
      order.push('likers')
      return found
    })
  const between = new Promise((resolve) => setImmediate(resolve)).then(() => order.push('sockets'))
  const [{ posts: found }] = await Promise.all([request, between])
  expect(found.map(({ uri, count }) => [uri, count])).toEqual(uris.map((uri) => [uri, 1]))
  expect(order).toEqual(['sockets', 'likers'])
})

test(`a large thread is hydrated in parts, to the same state (SEED=${SEED})`, () => {
  const social = randomWorld(createRandom(SEED), 1_500, 12)
  const { hydrator, db, reader: readerOf, close } = hydrateWorld(social)
  try {
    const ids = db.prepare<[], number>('SELECT id FROM posts WHERE state IS NOT NULL').pluck().all()
    const [anchor = 0, ...below] = ids
    const sizes: number[] = []
    const app = {
      hydrator: {
        ...hydrator,
        thread(request: Parameters<typeof hydrator.thread>[0], by: typeof reader) {
          sizes.push(request.ids.length)
          return hydrator.thread(request, by)
        },
      },
      moderationServices: new Set<string>(),
      threads: () => ({ anchor, above: [], below, opThread: undefined }),
    }
    const { viewer, now } = readerOf([...social.accounts.keys()][0])
    const reader = createReader(viewer, { now })
    const range = { above: 0, below: 10, order: 'newest' as const, reader }
    const { state } = lastOf(readThread(app, { uri: 'at://x', id: anchor }, range))
    const complete = hydrator.thread({ anchor, ids: below }, reader)
    expect(sizes.length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(50)
    expectSame(state, complete)
  } finally {
    close()
  }
})

function lastOf<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

function expectSame(state: ThreadState, complete: ThreadState): void {
  const { blocks, ...rest } = state
  const { blocks: completeBlocks, ...fullRest } = complete
  expect(rest).toEqual(fullRest)
  const uids = [...complete.actors.keys()]
  const among = (item: typeof blocks) =>
    uids.flatMap((a) => uids.filter((b) => item.has(a, b)).map((b) => `${a} ${b}`))
  expect(among(blocks)).toEqual(among(completeBlocks))
  expect(among(blocks).length).toBeGreaterThan(0)
}
