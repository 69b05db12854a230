// Random histories, read by arrival in both directions with pages of random size, against a naive model: a
// list of arrivals in order, of which each timeline is a filter.

import { afterEach, expect, test } from 'vitest'
import { createIsDrawn } from '../../../../src/data/graph/lossiness.ts'
import { prepareItemDraw } from '../../../../src/data/store/read/timelines/item-draw.ts'
import { pageBytes } from '../../../../src/features/timelines/sources/event-json.ts'
import {
  createOpenSource,
  prepareReaders,
} from '../../../../src/features/timelines/sources/open-sources.ts'
import { createCursors } from '../../../../src/features/timelines/sources/signed-cursor.ts'
import {
  createTimelines,
  type Timelines,
} from '../../../../src/features/timelines/sources/timelines.ts'
import {
  rotateSigningKeys,
  validSigningKeys,
} from '../../../../src/features/timelines/store/signing-keys.ts'
import { decide } from '../../../../src/ingest/indexing/moderation/moderation.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'
import { entityIdOf } from '../support/timeline-events.ts'

const SEED = testSeed('timelines by arrival')
const STEPS = 400
const LIMIT = 8

let world: World
afterEach(() => world.dispose())

/** Records that arrived and still exist. */
type Item = RecordId & { by: string; isRepost: boolean }

function openTimelines(limit: number): Timelines {
  rotateSigningKeys(world.db, world.now())
  const { actors, graph } = world.memory
  const isDrawn = createIsDrawn({ graph, limit, draw: prepareItemDraw(world.reader, actors) })
  const parts = { db: world.reader, actors, graph, isDrawn }
  return createTimelines({
    db: world.reader,
    cursors: createCursors(() => validSigningKeys(world.reader)),
    open: createOpenSource(parts, prepareReaders(parts)),
  })
}

/** Reads everything from one end to the other, by cursors. */
async function walk(timelines: Timelines, key: string, random: Random, isForward: boolean) {
  const direction = isForward ? 'forward' : 'backward'
  const found: { seq: number; uri: string; before: number | undefined; timeline: string }[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < 1_000; pages++) {
    const limit = 1 + random.below(LIMIT)
    const page = await timelines.page(
      cursor === undefined ? { key, limit, direction } : { key, limit, cursor },
    )
    for (const event of page.events) {
      const { seq, before, timeline } = event
      found.push({ seq, before, timeline, uri: entityIdOf(event) })
    }
    cursor = page.nextCursor
    if (cursor === undefined || (isForward && page.events.length === 0)) return found
  }
  throw new Error('paging does not end')
}

function history(random: Random) {
  const people = ['alice', 'bob', 'carol', 'dave', 'eve'].map((name) => world.account(name))
  const items: Item[] = []
  const follows = new Map<string, RecordId>()
  const [alice] = people as [string]
  const acts: (() => void)[] = [
    () => {
      const by = random.pick(people)
      // A backdated record counts from its arrival.
      const createdAt = new Date(world.now() - random.below(90) * 86_400_000).toISOString()
      items.push({ ...world.post(by, { text: 'x', createdAt }), by, isRepost: false })
    },
    () => {
      const posts = items.filter(({ isRepost }) => !isRepost)
      if (posts.length === 0) return
      const by = random.pick(people)
      const post = random.pick(posts)
      const { uri, cid } = post
      items.push({ ...world.repost(by, { uri, cid }), by, isRepost: true })
    },
    () => {
      if (items.length === 0 || !random.chance(0.4)) return
      const [gone] = items.splice(random.below(items.length), 1)
      world.delete(gone!.uri)
    },
    () => {
      const whom = random.pick(people.slice(1))
      const known = follows.get(whom)
      if (known) {
        world.delete(known)
        follows.delete(whom)
      } else follows.set(whom, world.follow(alice, whom))
    },
  ]
  const act = () => random.pick(acts)()
  return { people, items, follows, act }
}

test(`pages in both directions hold every arrival once, in order (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  world = createWorld({ scope: 'network', members: ['alice'] })
  const timelines = openTimelines(2_000)
  const { people, items, follows, act } = history(random)
  const [alice, bob] = people as [string, string]
  const filters: Record<string, (item: Item) => boolean> = {
    [`following:${alice}`]: ({ by }) => by === alice || follows.has(by),
    [`author:${bob}`]: ({ by }) => by === bob,
  }
  for (let step = 0; step < STEPS; step++) {
    act()
    if (step % 40 !== 39) continue
    for (const [key, isIn] of Object.entries(filters)) {
      const expected = items.filter(isIn).map(({ uri }) => uri)
      const up = await walk(timelines, key, random, true)
      const down = await walk(timelines, key, random, false)
      expect(up.map(({ uri }) => uri)).toEqual(expected)
      expect(down).toEqual([...up].reverse())
      expect(up.map(({ before }) => before)).toEqual(
        [undefined, ...up.map(({ seq }) => seq)].slice(0, up.length),
      )
    }
  }
  expect(items.length).toBeGreaterThan(50)
})

test('a merge has every event of each of its timelines once, and continues from its position', async () => {
  const random = createRandom(SEED + 1)
  world = createWorld({ scope: 'network', members: ['alice'] })
  const timelines = openTimelines(2_000)
  const { people, items, act } = history(random)
  for (let step = 0; step < STEPS; step++) act()
  const keys = people.map((did) => `author:${did}`)
  const merged = keys.join('+')
  for (const isForward of [true, false]) {
    const all = await walk(timelines, merged, random, isForward)
    expect(all.map(({ uri }) => uri).sort()).toEqual(items.map(({ uri }) => uri).sort())
    for (const key of keys) {
      const own = all.filter(({ timeline }) => timeline === key)
      expect(own).toEqual(await walk(timelines, key, random, isForward))
    }
  }
})

test('reading on from a number returns later events, and none below it', async () => {
  const random = createRandom(SEED + 2)
  world = createWorld({ scope: 'network', members: ['alice'] })
  const timelines = openTimelines(2_000)
  const { people, act } = history(random)
  const key = `following:${people[0]}`
  let since = 0
  const seen: number[] = []
  for (let step = 0; step < STEPS; step++) {
    act()
    if (!random.chance(0.2)) continue
    const page = await timelines.page({ key, limit: 100, since })
    for (const { seq } of page.events) seen.push(seq)
    since = seen.at(-1) ?? since
  }
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
})

test('the draw leaves out of a page what it leaves out of the home timeline', async () => {
  world = createWorld({ scope: 'network', members: ['alice'], reasonableLimit: 2 })
  const timelines = openTimelines(2)
  const alice = world.account('alice')
  const others = Array.from({ length: 10 }, (_, i) => world.account(`other-${i}`))
  for (const did of others) world.follow(alice, did)
  for (const did of others) for (let i = 0; i < 10; i++) world.post(did, { text: 'x' })
  const { timelines: rings, actors } = world.memory
  const ring = rings.read(actors.uidOf(alice), undefined, 1_000)!
  const up = await walk(timelines, `following:${alice}`, createRandom(1), true)
  expect(up.length).toBe(ring.entries.length)
  expect(up.length).toBeLessThan(60)
})

test('distant events are found by asking each account, in both directions', async () => {
  world = createWorld({ scope: 'network', members: ['alice'] })
  const timelines = openTimelines(2_000)
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => world.account(name)) as [
    ...[string, string, string],
  ]
  world.follow(alice, bob)
  const first = world.post(bob, { text: 'first' })
  for (let i = 0; i < 3_000; i++) world.post(carol, { text: 'x' })
  const last = world.post(bob, { text: 'last' })
  for (let i = 0; i < 3_000; i++) world.post(carol, { text: 'x' })
  const random = createRandom(2)
  const key = `following:${alice}`
  const up = await walk(timelines, key, random, true)
  expect(up.map(({ uri }) => uri)).toEqual([first.uri, last.uri])
  expect(await walk(timelines, key, random, false)).toEqual([...up].reverse())
})

test('pages are JSON, whatever people write', async () => {
  world = createWorld({ scope: 'network', members: ['alice'] })
  const timelines = openTimelines(2_000)
  const alice = world.account('alice')
  const text = 'a "quote", a \\ and \u2028 a \ud83d\ude00\n'
  world.post(alice, { text })
  const page = await timelines.page({ key: `author:${alice}`, limit: 1 })
  const { events } = JSON.parse(pageBytes(page).toString()) as {
    events: { payload: { record: { text: string } } }[]
  }
  expect(events.map(({ payload }) => payload.record.text)).toEqual([text])
})

test('no page shows records hidden by the operator, by the member, or by a block with the member', async () => {
  world = createWorld({ scope: 'network', members: ['alice'] })
  const timelines = openTimelines(2_000)
  const people = ['alice', 'bob', 'carol', 'dave'].map((name) => world.account(name))
  const [alice, bob, carol, dave] = people as [string, string, string, string]
  for (const did of [bob, carol, dave]) world.follow(alice, did)
  const hidden = world.post(bob, { text: 'hidden' })
  const visible = world.post(bob, { text: 'shown' })
  world.post(carol, { text: 'of somebody who blocks' })
  world.post(dave, { text: 'of an account that is away' })
  world.block(carol, alice)
  world.status(dave, 'deactivated')
  world.run((ctx) => {
    decide(ctx, { act: 'hide', subject: hidden.uri, by: 'the operator', reason: '' })
  })
  const page = await timelines.page({ key: `following:${alice}`, limit: 100 })
  expect(page.events.map(entityIdOf)).toEqual([visible.uri])
})
