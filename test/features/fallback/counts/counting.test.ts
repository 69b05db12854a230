// The background count requests on their own: batch sizes, their order, the effects of a host that fails,
// refuses or knows nothing, and that all of this is bounded.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CountedScope } from '../../../../src/data/store/read/seed-counts.ts'
import { putStreamChoice } from '../../../../src/data/store/stream/stream-choices.ts'
import { createCountQueue } from '../../../../src/features/fallback/counts/count-queue.ts'
import { type Counting, createCounting } from '../../../../src/features/fallback/counts/counting.ts'
import { createGuardedFetch } from '../../../../src/sources/identity/guarded-fetch.ts'
import { type AppviewDouble, startAppviewDouble } from '../../../support/appview-double.ts'
import { eventually } from '../../../support/eventually.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'

const POSTS = 'app.bsky.feed.getPosts'
const soon = <T>(look: () => T | Promise<T>) => eventually(look)

let double: AppviewDouble
let world: World
const begun: Counting[] = []
const warned: unknown[] = []

beforeEach(async () => {
  double = await startAppviewDouble()
  world = createWorld({ members: ['alice'] })
  world.follow(world.account('alice'), world.account('bob'))
})

afterEach(async () => {
  await Promise.all(begun.splice(0).map((counting) => counting.stop()))
  warned.length = 0
  world.dispose()
  await double.close()
})

type Options = {
  scope?: CountedScope
  limits?: Parameters<typeof createCounting>[0]['limits']
  members?: number[]
}

function begin({ scope = 'community', limits, members = [] }: Options = {}): Counting {
  const { db, writer, actors, timelines, now } = world
  const counting = createCounting({
    db,
    writer,
    actors,
    now,
    scope,
    origin: double.origin,
    fetch: createGuardedFetch({ allowPrivateHosts: false, trustedOrigins: [double.origin] }),
    members: () => members,
    newcomers: () => [],
    timelineItems: (member) =>
      timelines.read(member, undefined, 500)?.entries.map(({ item }) => item) ?? [],
    log: { debug() {}, warn: (...line: unknown[]) => void warned.push(line) },
    limits: { restMs: 2, lookEveryMs: 10, ...limits },
  })
  begun.push(counting)
  counting.start()
  return counting
}

const write = (count: number): RecordId[] =>
  Array.from({ length: count }, (_, i) => world.post(world.account('bob'), `post ${i}`))

/** Likes of a post: the code of the last character of its key. */
const likesOf = (uri: string) => uri.charCodeAt(uri.length - 1)
const tellAll = () =>
  double.answer(POSTS, ({ uris }: { uris: string | string[] }) => ({
    posts: [uris].flat().map((uri) => ({ uri, likeCount: likesOf(uri) })),
  }))
const reported = () =>
  world.db.prepare<[], number>('SELECT likes FROM earlier_post_counts ORDER BY post').pluck().all()
const requestedSubjects = () => double.askedFor(POSTS).map(({ uris }) => [uris].flat() as string[])
const idsOf = () => world.db.prepare<[], number>('SELECT id FROM posts ORDER BY id').pluck().all()

describe('posts', () => {
  test('of a timeline are requested in batches of 25, newest first, once', async () => {
    tellAll()
    const posts = write(60)
    begin({ members: [world.uid(world.account('alice'))] })
    await soon(() => expect(reported()).toEqual(posts.map(({ uri }) => likesOf(uri))))
    const inOrder = posts.map(({ uri }) => uri).toReversed()
    expect(requestedSubjects()).toEqual([
      inOrder.slice(0, 25),
      inOrder.slice(25, 50),
      inOrder.slice(50),
    ])
    const more = world.post(world.account('bob'))
    await soon(() => expect(requestedSubjects().at(-1)).toEqual([more.uri]))
    expect(requestedSubjects()).toHaveLength(4)
  })

  test('leave half of what the host allows to those who wait for an answer', async () => {
    tellAll()
    write(60)
    double.allow(6)
    begin({ members: [world.uid(world.account('alice'))] })
    await soon(() => expect(reported()).toHaveLength(50))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(double.asked).toHaveLength(3)
  })

  test('viewed by a member are requested before all others', async () => {
    tellAll()
    double.lag(30)
    const posts = write(120)
    const counting = begin({ members: [world.uid(world.account('alice'))] })
    await soon(() => expect(requestedSubjects()).toHaveLength(1))
    counting.requested({ posts: idsOf().slice(0, 2), actors: [] })
    await soon(() => expect(reported()).toHaveLength(120))
    const second = requestedSubjects()[1]
    expect(second?.slice(0, 2).sort()).toEqual([posts[0]!.uri, posts[1]!.uri].sort())
  })

  test('the host does not show or refuses count as zero, and are not requested again', async () => {
    const posts = write(3)
    double.answer(POSTS, { posts: [{ uri: posts[1]!.uri, likeCount: 4 }] })
    const counting = begin()
    counting.requested({ posts: idsOf(), actors: [] })
    await soon(() => expect(reported()).toEqual([0, 4, 0]))
    double.answer(POSTS, { status: 400 })
    write(1)
    counting.requested({ posts: idsOf(), actors: [] })
    await soon(() => expect(reported()).toEqual([0, 4, 0, 0]))
    counting.requested({ posts: idsOf(), actors: [] })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(requestedSubjects()).toHaveLength(2)
  })

  test('wait while a failing host is backed off from, which is logged once', async () => {
    write(30)
    double.misbehave({ status: 429, headers: { 'retry-after': '1' } })
    const counting = begin()
    counting.requested({ posts: idsOf(), actors: [] })
    await soon(() => expect(warned).toHaveLength(1))
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(double.asked).toHaveLength(1)
    expect(reported()).toEqual([])
    double.misbehave(undefined)
    tellAll()
    await soon(() => expect(reported()).toHaveLength(30))
    expect(warned).toHaveLength(1)
  })

  test.each(['hang', 'endless', { text: 'no json' }, { text: '{"posts":7}' }] as const)(
    'survive an invalid answer: %j',
    async (how) => {
      write(2)
      double.misbehave(how)
      const counting = begin()
      counting.requested({ posts: idsOf(), actors: [world.uid(world.account('bob'))] })
      await soon(() => expect(double.asked.length).toBeGreaterThan(0))
      await counting.stop()
      expect(reported().every((likes) => likes === 0)).toBe(true)
    },
  )

  test('with names of maximum length are requested a few at a time', async () => {
    const likes = (uri: string) => Number(uri.slice(-4, -1))
    double.answer(POSTS, ({ uris }: { uris: string | string[] }) => ({
      posts: [uris].flat().map((uri) => ({ uri, likeCount: likes(uri) })),
    }))
    for (let i = 100; i < 140; i++) {
      world.write({
        did: world.account('bob'),
        collection: 'app.bsky.feed.post',
        rkey: `${'~:'.repeat(250)}${i}x`,
        record: { text: 'x', createdAt: world.isoNow() },
      })
    }
    begin().requested({ posts: idsOf(), actors: [] })
    await soon(() => expect(reported()).toEqual(Array.from({ length: 40 }, (_, i) => 100 + i)))
    expect(requestedSubjects().length).toBeGreaterThan(3)
  })

  test('are requested again from time to time in a scope without strangers’ acts', async () => {
    tellAll()
    const [post] = write(1)
    const counting = begin({ scope: 'authors' })
    const look = () => counting.requested({ posts: idsOf(), actors: [] })
    look()
    await soon(() => expect(reported()).toHaveLength(1))
    world.tick(14 * 60_000)
    look()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(requestedSubjects()).toEqual([[post!.uri]])
    world.tick(2 * 60_000)
    look()
    await soon(() => expect(requestedSubjects()).toHaveLength(2))
  })

  test('while the stream leaves something out, they are asked again as well, and once more after', async () => {
    tellAll()
    write(1)
    putStreamChoice(world.db, world.now(), { level: 1, resume: undefined })
    const counting = begin()
    const look = () => counting.requested({ posts: idsOf(), actors: [] })
    look()
    await soon(() => expect(requestedSubjects()).toHaveLength(1))
    await soon(() => expect(reported()).toHaveLength(1))
    world.tick(16 * 60_000)
    look()
    await soon(() => expect(requestedSubjects()).toHaveLength(2))
    world.tick(60_000)
    putStreamChoice(world.db, world.now(), { level: 0, resume: undefined })
    world.tick(60_000)
    look()
    await soon(() => expect(requestedSubjects()).toHaveLength(3))
  })
})

test('a queue keeps the highest ranks, and can be drained', () => {
  const random = createRandom(testSeed('count queue'))
  const queue = createCountQueue(50)
  const naive = new Map<number, number>()
  for (let i = 0; i < 49; i++) {
    const [id, rank] = [random.below(60), random.below(1_000)]
    queue.add(id, rank)
    naive.set(id, Math.max(rank, naive.get(id) ?? 0))
  }
  const ranks = (ids: number[]) => ids.map((id) => naive.get(id))
  const inOrder = [...naive.values()].sort((a, b) => b - a)
  expect(ranks(queue.first(100))).toEqual(inOrder)
  const [first] = queue.first(1) as [number]
  queue.putLast([first])
  expect(queue.first(100).at(-1)).toBe(first)
  for (let i = 100; i < 1_000; i++) queue.add(i, i + 1_000)
  expect(queue.size).toBeLessThanOrEqual(50)
  expect(queue.first(3)).toEqual([999, 998, 997])
  queue.drop(queue.first(100))
  expect(queue.size).toBe(0)
})
