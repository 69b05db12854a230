// `likes:` and `follows:`: what a member liked and whom they followed, page by page and live, in order of
// arrival, without what they took back.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventJson } from '../../../../src/features/timelines/sources/event-json.ts'
import {
  createOpenSource,
  prepareReaders,
} from '../../../../src/features/timelines/sources/open-sources.ts'
import { createCursors } from '../../../../src/features/timelines/sources/signed-cursor.ts'
import { createTimelines } from '../../../../src/features/timelines/sources/timelines.ts'
import { until } from '../../../support/eventually.ts'
import { createRandom } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import type { EventJson } from '../../../support/timelines-process.ts'
import { createWorld, type World } from '../../../support/world.ts'
import { openStreams } from '../support/open-streams.ts'

const SEED = testSeed('likes and follows by arrival')

let world: World
let alice: string
let carol: string
let read: ReturnType<typeof createTimelines>
beforeEach(() => {
  world = createWorld({ scope: 'network', members: ['alice'] })
  ;[alice, carol] = ['alice', 'carol'].map((name) => world.account(name)) as [string, string]
  const { actors, graph } = world.memory
  const parts = { db: world.reader, actors, graph, isDrawn: () => true }
  read = createTimelines({
    db: world.reader,
    cursors: createCursors(() => [{ id: 1, secret: Buffer.from('secret') }]),
    open: createOpenSource(parts, prepareReaders(parts)),
  })
})
afterEach(() => world.dispose())

function page(key: string, more: object = {}) {
  const found = read.page({ key, limit: 50, direction: 'forward', ...more })
  if (found instanceof Promise) throw new Error('rows answer at once')
  const events = found.events.map((event) => JSON.parse(eventJson(event)) as EventJson)
  return { events, next: found.nextCursor }
}

const like = (uri: { uri: string; cid: string }, createdAt = world.isoNow()) =>
  world.create(alice, 'app.bsky.feed.like', { subject: uri, createdAt })

test('has likes of posts and of feeds, with subject, and follows of accounts', () => {
  const post = world.post(carol)
  const feed = world.create(carol, 'app.bsky.feed.generator', {
    did: 'did:web:feeds.test',
    displayName: 'a feed',
    createdAt: world.isoNow(),
  })
  const [first, second] = [like(post, '1999-12-31T23:59:59.000Z'), like(feed)]
  const follow = world.follow(alice, carol)
  const { events } = page(`likes:${alice}`)
  expect(events).toMatchObject([
    {
      entity_id: first.uri,
      entity_type: 'like',
      payload: { actor: alice, cid: first.cid, subject: { uri: post.uri } },
      producer_ts: '1999-12-31T23:59:59.000Z',
      prev_sequence_id: null,
    },
    {
      entity_id: second.uri,
      payload: { subject: { uri: feed.uri } },
      prev_sequence_id: events[0]!.sequence_id,
    },
  ])
  expect(page(`follows:${alice}`).events).toMatchObject([
    {
      entity_id: follow.uri,
      entity_type: 'follow',
      payload: { actor: alice, subject: { did: carol } },
      prev_sequence_id: null,
    },
  ])
})

test('of anyone but a member there is none', () => {
  like(world.post(carol))
  world.follow(carol, alice)
  expect(() => page(`follows:${carol}`)).toThrow(/no timeline/)
  expect(() => page('likes:nobody')).toThrow(/No timeline is called/)
})

test(`walks of both, alone and merged, are what was not taken back, once and in order (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  const posts = Array.from({ length: 40 }, (_, i) => world.post(carol, `post ${i}`))
  const people = Array.from({ length: 20 }, (_, i) => world.account(`person${i}`))
  const acts: { uri: string; collection: string }[] = []
  for (let i = 0; i < 300; i++) {
    if (acts.length > 0 && random.chance(0.3)) {
      const [gone] = acts.splice(random.below(acts.length), 1)
      world.delete(gone!.uri)
    } else if (random.chance(0.6)) acts.push({ ...like(random.pick(posts)), collection: 'likes' })
    else acts.push({ ...world.follow(alice, random.pick(people)), collection: 'follows' })
  }
  const of = (collection: string) =>
    acts.filter((act) => act.collection === collection).map(({ uri }) => uri)
  expect(walk(`likes:${alice}`)).toEqual(of('likes'))
  expect(walk(`follows:${alice}`)).toEqual(of('follows'))
  expect(walk(`follows:${alice}+likes:${alice}`)).toEqual(acts.map(({ uri }) => uri))
  expect(walk(`follows:${alice}+likes:${alice}`, 'backward').toReversed()).toEqual(
    acts.map(({ uri }) => uri),
  )
})

function walk(key: string, direction: 'forward' | 'backward' = 'forward'): string[] {
  const uris: string[] = []
  let cursor: string | undefined
  for (let i = 0; i < 500; i++) {
    const item = page(key, {
      limit: 7,
      ...(cursor === undefined ? { direction } : { cursor, direction }),
    })
    uris.push(...item.events.map(({ entity_id }) => entity_id))
    cursor = item.next
    if (item.events.length === 0 || cursor === undefined) break
  }
  return uris
}

test('streams tell them live, likes of feeds too', async () => {
  const streams = await openStreams(world)
  const likes = await streams.listen(`likes:${alice}`)
  const both = await streams.listen(`likes:${alice}+follows:${alice}`)
  const feed = world.create(carol, 'app.bsky.feed.generator', {
    did: 'did:web:feeds.test',
    displayName: 'a feed',
    createdAt: world.isoNow(),
  })
  const post = world.post(carol)
  const expected = [like(post).uri, world.follow(alice, carol).uri, like(feed).uri]
  await until(() => both.messages.length === 3 && likes.messages.length === 2)
  expect(both.messages.map(({ data }) => data.entity_id)).toEqual(expected)
  expect(likes.messages.map(({ data }) => data.entity_id)).toEqual([expected[0], expected[2]])
  streams.close()
})
