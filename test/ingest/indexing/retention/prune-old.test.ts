// Strangers' old posts and acts are pruned without any count changing: not when they are pruned, not when
// they are delivered again, not when a pruned post is deleted or fetched again.

import { afterEach, expect, test } from 'vitest'
import { DAY_MS } from '../../../../src/base/util/durations.ts'
import { PRESENT, PRUNED, postRecord } from '../../../../src/data/store/posts/posts.ts'
import { type Pruned, pruneSlice } from '../../../../src/ingest/indexing/retention/prune-old.ts'
import { canonicalRows } from '../../../support/canonical-rows.ts'
import { createRandom } from '../../../support/random.ts'
import { randomHistory } from '../../../support/random-history.ts'
import { postOf } from '../../../support/rows.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'

const worlds: World[] = []

afterEach(() => {
  for (const world of worlds.splice(0)) world.dispose()
})

function start(scope: 'network' | 'community' = 'network'): World {
  const world = createWorld({ scope, members: ['member'] })
  worlds.push(world)
  return world
}

/** Prunes everything before now that may be pruned. */
function prune(
  world: World,
  { strangersDays, neighboursDays } = { strangersDays: 0, neighboursDays: 0 },
): Pruned {
  const sum = { posts: 0, likes: 0, reposts: 0, isPassOver: false }
  while (!sum.isPassOver) {
    world.run((ctx) => {
      const { isPassOver, ...taken } = pruneSlice(ctx, {
        strangersBefore: world.now() - strangersDays * DAY_MS,
        neighboursBefore: world.now() - neighboursDays * DAY_MS,
      })
      for (const what of ['posts', 'likes', 'reposts'] as const) sum[what] += taken[what]
      sum.isPassOver = isPassOver
    })
  }
  return sum
}

const countsOf = (world: World) => {
  const { postCounts, accountCounts } = canonicalRows(world.db)
  return { postCounts, accountCounts }
}

test('counts stay the same, and redelivered records are not counted twice', () => {
  const world = start()
  const member = world.account('member')
  world.follow(member, world.account('person-0'))
  const random = createRandom(26)
  const events = randomHistory(world, random, 1_200).filter(({ kind }) => kind === 'commit')
  world.apply(events)
  const before = countsOf(world)
  world.tick(10 * DAY_MS)
  const { posts, likes, reposts } = prune(world)
  expect(Math.min(posts, likes, reposts)).toBeGreaterThan(10)
  expect(countsOf(world)).toEqual(before)
  world.apply(events)
  expect(countsOf(world)).toEqual(before)
  world.restart()
  world.apply(events)
  expect(countsOf(world)).toEqual(before)
  const authors = world.db
    .prepare('SELECT count(*) FROM posts JOIN actors USING (uid) WHERE did = ? AND state = ?')
    .pluck()
  const person = world.account('person-0')
  expect(authors.get(person, PRUNED)).toBe(0)
  expect(authors.get(person, PRESENT)).toBeGreaterThan(5)
})

test('a pruned post counts until it is deleted, and can be fetched again', () => {
  const world = start()
  const [author, stranger] = [world.account('author'), world.account('stranger')]
  world.follow(world.account('member'), author)
  const post = world.post(author)
  const reply = world.post(stranger, { reply: { parent: post }, text: 'long ago' })
  const replies = (of: RecordId) =>
    world.db
      .prepare<[number], number>('SELECT replies FROM post_counts WHERE post = ?')
      .pluck()
      .get(postOf(world, of)!.id)
  world.tick(10 * DAY_MS)
  prune(world)
  expect([postOf(world, reply)!.state, replies(post)]).toEqual([PRUNED, 1])
  const record = {
    $type: 'app.bsky.feed.post',
    text: 'long ago',
    createdAt: world.isoNow(),
    reply: { root: post, parent: post },
  }
  world.fetched({ uri: reply.uri, record })
  expect([postOf(world, reply)!.state, replies(post)]).toEqual([PRESENT, 1])
  expect(postRecord(world.db, postOf(world, reply)!.id)).toContain('long ago')
  world.tick(10 * DAY_MS)
  prune(world)
  world.delete(reply)
  expect(replies(post)).toBe(0)
})

test('a member’s notifications and acts on their posts stay', () => {
  const world = start('community')
  const [member, stranger] = [world.account('member'), world.account('stranger')]
  const post = world.post(member)
  const reply = world.post(stranger, { reply: { parent: post } })
  world.like(stranger, post)
  world.tick(10 * DAY_MS)
  expect(prune(world)).toMatchObject({ posts: 0, likes: 0, reposts: 0 })
  expect(postOf(world, reply)!.state).toBe(PRESENT)
})

test('neighbours have their own retention setting, apart from strangers', () => {
  const world = start('community')
  const [author, first, other] = ['author', 'one', 'other'].map(world.account) as [
    string,
    string,
    string,
  ]
  world.follow(world.account('member'), author)
  const quoted = world.post(first)
  world.post(author, { quote: quoted })
  world.fetched({
    uri: quoted.uri,
    record: { $type: 'app.bsky.feed.post', text: 'quoted', createdAt: world.isoNow() },
  })
  const stranger = world.post(other, { quote: world.post(author) })
  world.tick(10 * DAY_MS)
  prune(world, { strangersDays: 5, neighboursDays: 30 })
  expect([postOf(world, stranger)!.state, postOf(world, quoted)!.state]).toEqual([PRUNED, PRESENT])
  prune(world, { strangersDays: 5, neighboursDays: 5 })
  expect(postOf(world, quoted)!.state).toBe(PRUNED)
})
