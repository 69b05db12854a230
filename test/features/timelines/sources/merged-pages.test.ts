// Merges of timelines that hold the same records, over random histories against a naive model: each record comes
// once a page and once a walk, under one event id, in either direction, while records arrive and leave and
// follows change between the pages.

import { afterEach, expect, test } from 'vitest'
import { InvalidationReader } from '../../../../src/data/shared-memory/invalidation-ring.ts'
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
import { createAppend } from '../../../../src/features/timelines/writing/append.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import type { EventJson, PageJson } from '../../../support/timelines-process.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'

const SEED = testSeed('merged timelines')
const STEPS = 300
const LIMIT = 7

let world: World
afterEach(() => world.dispose())

function openTimelines(): Timelines {
  const { actors, graph } = world.memory
  const parts = { db: world.reader, actors, graph, isDrawn: () => true }
  const readers = prepareReaders(parts, new InvalidationReader(world.invalidations.buffer))
  return createTimelines({
    db: world.reader,
    cursors: createCursors(() => [{ id: 1, secret: Buffer.from('secret') }]),
    open: createOpenSource(parts, readers),
    begin: readers.begin,
  })
}

async function read(timelines: Timelines, request: Parameters<Timelines['page']>[0]) {
  return JSON.parse(pageBytes(await timelines.page(request)).toString()) as PageJson
}

type Walk = { timelines: Timelines; key: string; random: Random; isForward: boolean }

/** Reads from one end to the other; `between` happens between the pages, `most` times. */
async function walk({ timelines, key, random, isForward }: Walk, between?: () => void, most = 60) {
  const direction = isForward ? 'forward' : 'backward'
  const found: EventJson[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < 5_000; pages++) {
    const from = cursor === undefined ? ({ direction } as const) : { cursor }
    const page = await read(timelines, { key, limit: 1 + random.below(LIMIT), ...from })
    found.push(...page.events)
    const next = page.next_cursor ?? undefined
    if (next === undefined || (next === cursor && pages >= most)) return found
    cursor = next
    if (pages < most) between?.()
  }
  throw new Error('paging does not end')
}

type Item = RecordId & { by: string; isRepost: boolean }

function history(random: Random) {
  const people = ['alice', 'bob', 'carol', 'dave'].map((name) => world.account(name))
  const [alice, bob] = people as [string, string]
  world.member(alice)
  world.member(bob)
  const list = world.list(alice, 'a list', 'app.bsky.graph.defs#curatelist')
  world.listItem(alice, list, people[2]!)
  const items: Item[] = []
  const follows = new Map<string, RecordId>()
  function follow(by: string, whom: string): void {
    const known = follows.get(by + whom)
    if (known) world.delete(known)
    if (known) follows.delete(by + whom)
    else follows.set(by + whom, world.follow(by, whom))
  }
  const write = () => {
    const by = random.pick(people)
    items.push({ ...world.post(by, { text: 'x' }), by, isRepost: false })
  }
  const acts = [
    write,
    write,
    () => {
      const item = random.pick(items)
      const by = random.pick(people)
      if (!item.isRepost) items.push({ ...world.repost(by, item), by, isRepost: true })
    },
    () => {
      const [gone] = items.splice(random.below(items.length), 1)
      world.delete(gone!.uri)
    },
    () => follow(random.pick([alice, bob]), random.pick(people.slice(2))),
  ]
  write()
  const act = () => (items.length === 0 ? write() : random.pick(acts)())
  const isFollowed = (by: string, { by: author }: Item) => by === author || follows.has(by + author)
  const sources: Record<string, (item: Item) => boolean> = {
    [`following:${alice}`]: (item) => isFollowed(alice, item),
    [`following:${bob}`]: (item) => isFollowed(bob, item),
    [`author:${alice}`]: ({ by }) => by === alice,
    [`author:${people[2]}`]: ({ by }) => by === people[2],
    [`list:${list.uri}`]: ({ by, isRepost }) => by === people[2] && !isRepost,
  }
  return { items, sources, act, people }
}

function pick(random: Random, names: readonly string[]): string[] {
  const picked = names.filter(() => random.chance(0.6))
  return picked.length > 1 ? picked.sort(() => random.below(3) - 1) : [...names]
}

test(`a record of several sources comes once, in order, under one id (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  world = createWorld({ scope: 'network' })
  const timelines = openTimelines()
  const { items, sources, act } = history(random)
  let repeated = 0
  for (let step = 0; step < STEPS; step++) {
    act()
    if (step % 20 !== 19) continue
    const keys = pick(random, Object.keys(sources))
    const holders = items.map((item) => keys.filter((key) => sources[key]!(item)))
    const expected = items.filter((_, i) => holders[i]!.length > 0).map(({ uri }) => uri)
    repeated += holders.filter((holder) => holder.length > 1).length
    const merged = { timelines, key: keys.join('+'), random }
    const up = await walk({ ...merged, isForward: true }, undefined, 0)
    const down = await walk({ ...merged, isForward: false }, undefined, 0)
    expect(up.map(({ entity_id }) => entity_id)).toEqual(expected)
    expect(down).toEqual([...up].reverse())
    expect(up.map(({ timeline_key }) => timeline_key)).toEqual(
      holders.flatMap((holder) => holder[0] ?? []),
    )
    for (const key of keys) {
      const alone = await walk({ timelines, key, random, isForward: true }, undefined, 0)
      const ids = new Set(up.map(({ event_id }) => event_id))
      expect(alone.filter(({ event_id }) => !ids.has(event_id))).toEqual([])
      const own = up.filter(({ timeline_key }) => timeline_key === key)
      const alike = new Map(alone.map((eventJson) => [eventJson.event_id, eventJson]))
      expect(own).toEqual(own.map(({ event_id }) => alike.get(event_id)))
    }
  }
  expect(repeated).toBeGreaterThan(20)
})

test('a walk that reads while late records arrive is in order of arrival, and so is every later walk', async () => {
  const random = createRandom(SEED + 2)
  world = createWorld({ scope: 'network', members: ['alice', 'bob'], startAt: Date.now() })
  const timelines = openTimelines()
  const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => world.account(name)) as [
    ...[string, string, string],
  ]
  world.follow(alice, carol)
  const posts = [alice, bob].map((did) => ({ did, post: world.post(did) }))
  /** Most come late: as after a restart, when the stream of events is caught up. */
  const like = () => {
    const { post } = random.pick(posts)
    const liker = world.account(`liker ${random.below(1_000_000)}`)
    const createdAt = new Date(world.now() - random.below(60_000)).toISOString()
    world.create(liker, 'app.bsky.feed.like', { subject: post, createdAt })
  }
  const between = () => random.pick([like, like, () => world.post(carol)])()
  const key = `following:${alice}+notifications:${alice}+notifications:${bob}`
  const walks = [await walk({ timelines, key, random, isForward: true }, between)]
  walks.push(await walk({ timelines, key, random, isForward: true }, undefined, 0))
  for (const found of walks) {
    expect(found.length).toBeGreaterThan(30)
    const times = found.map(({ received_at }) => received_at)
    expect(times).toEqual(times.toSorted())
  }
  const perTimeline = (all: EventJson[]) => Map.groupBy(all, ({ timeline_key }) => timeline_key)
  expect(perTimeline(walks[1]!)).toEqual(perTimeline(walks[0]!))
})

test('no walk repeats a record or goes back, whatever happens between its pages', async () => {
  const random = createRandom(SEED + 1)
  world = createWorld({ scope: 'network' })
  const timelines = openTimelines()
  const { items, sources, act, people } = history(random)
  for (let step = 0; step < STEPS; step++) act()
  let appended = 0
  const append = createAppend()
  const post = () => {
    const entityId = String(appended++)
    const note = { entityId, entityType: 'note', payload: '{}', producerTs: 1 }
    const body = Buffer.from(entityId)
    const item = { ...note, name: 'notes', body, key: undefined, numbered: undefined }
    world.run((ctx) => append(ctx.db, [item], Date.now()))
  }
  post()
  for (let turn = 0; turn < 8; turn++) {
    const keys = pick(random, Object.keys(sources))
    const key = [...keys, 'custom:notes', `notifications:${people[0]}`].join('+')
    const isForward = turn % 2 === 0
    const between = () => random.pick([act, act, act, post])()
    const lasting = new Set(items.filter((item) => keys.some((k) => sources[k]!(item))))
    const found = await walk({ timelines, key, random, isForward }, between)
    const ids = found.map(({ event_id }) => event_id)
    expect(new Set(ids).size).toBe(ids.length)
    const arrivals = found.filter(({ event_id }) => event_id.startsWith('arrivals/'))
    const numbers = arrivals.map(({ sequence_id }) => Number(sequence_id))
    expect(numbers).toEqual(numbers.toSorted((a, b) => (isForward ? a - b : b - a)))
    const uris = new Set(arrivals.map(({ entity_id }) => entity_id))
    const left = items.filter((item) => lasting.has(item) && keys.some((k) => sources[k]!(item)))
    const constant = left.filter(({ by }) => keys.includes(`author:${by}`))
    expect(constant.filter(({ uri }) => !uris.has(uri))).toEqual([])
  }
})
