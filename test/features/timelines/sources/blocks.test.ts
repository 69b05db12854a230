// Blocks between a member and others, in the member's timelines under /v1, against a naive model: direct blocks
// and blocks by list, made and taken back at random, seen by pages in both directions, by merges, and by live
// streams. Programs read a list as it is.

import { afterEach, expect, test } from 'vitest'
import { InvalidationReader } from '../../../../src/data/shared-memory/invalidation-ring.ts'
import {
  createLiveFeed,
  type Delivery,
  type LiveFeed,
} from '../../../../src/features/timelines/http/live-feed.ts'
import {
  createOpenSource,
  prepareReaders,
} from '../../../../src/features/timelines/sources/open-sources.ts'
import { createCursors } from '../../../../src/features/timelines/sources/signed-cursor.ts'
import { parseTimelineKey } from '../../../../src/features/timelines/sources/timeline-key.ts'
import { createTimelines } from '../../../../src/features/timelines/sources/timelines.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'
import { entityIdOf } from '../support/timeline-events.ts'

const SEED = testSeed('blocks in timelines')
const STEPS = 400
const LIMIT = 6

let world: World
afterEach(() => world.dispose())

type Made = { by: string; uri: string }
type Model = {
  alice: string
  others: string[]
  /** Alice’s list. */
  list: RecordId
  members: Set<string>
  posts: Made[]
  notified: Made[]
  /** By blocker and blocked. */
  blocks: Map<string, RecordId>
  listBlocks: Map<string, RecordId>
  /** The list by which each account may block, and who is on it. */
  modLists: Map<string, { id: RecordId; on: Set<string> }>
}

function begin(): Model {
  world = createWorld({ scope: 'network', members: ['alice'] })
  const alice = world.account('alice')
  const others = ['bob', 'carol', 'dave', 'eve', 'frank'].map((name) => world.account(name))
  const modLists = new Map(
    [alice, ...others].map((did) => [did, { id: world.list(did, 'mod'), on: new Set<string>() }]),
  )
  const list = world.list(alice, 'friends', 'app.bsky.graph.defs#curatelist')
  for (const did of others) world.profile(did, { displayName: 'somebody' })
  const empty = { members: new Set<string>(), posts: [], notified: [] }
  return { alice, others, list, modLists, ...empty, blocks: new Map(), listBlocks: new Map() }
}

function isBlocked({ alice, blocks, listBlocks, modLists }: Model, did: string): boolean {
  const by = (value: string, other: string) =>
    blocks.has(`${value} ${other}`) || (listBlocks.has(value) && modLists.get(value)!.on.has(other))
  return by(alice, did) || by(did, alice)
}

function act(model: Model, random: Random, original: RecordId): void {
  const { alice, others, list, members, posts, notified, blocks, listBlocks, modLists } = model
  const did = random.pick(others)
  const [first, other] = random.chance(0.5) ? [alice, did] : [did, alice]
  const acts: (() => void)[] = [
    () => posts.push({ by: did, uri: world.post(did, { text: 'x' }).uri }),
    () => posts.push({ by: did, uri: world.post(did, { text: 'x' }).uri }),
    () =>
      notified.push({ by: did, uri: world.repost(did, world.post(alice, { text: 'mine' })).uri }),
    () => {
      if (!members.has(did)) world.listItem(alice, list, did)
      members.add(did)
    },
    () => {
      const reply = world.post(did, { text: 're', reply: { parent: original } })
      posts.push({ by: did, uri: reply.uri })
      notified.push({ by: did, uri: reply.uri })
    },
    () => {
      const key = `${first} ${other}`
      const known = blocks.get(key)
      if (known) world.delete(known)
      if (known) blocks.delete(key)
      else blocks.set(key, world.block(first, other))
    },
    () => {
      const { id, on } = modLists.get(first)!
      if (!on.has(other)) world.listItem(first, id, other)
      on.add(other)
    },
    () => {
      const known = listBlocks.get(first)
      if (known) world.delete(known)
      if (known) listBlocks.delete(first)
      else listBlocks.set(first, world.listBlock(first, modLists.get(first)!.id))
    },
  ]
  random.pick(acts)()
}

function open(model: Model) {
  const { actors, graph } = world.memory
  const parts = { db: world.reader, actors, graph, isDrawn: () => true }
  const readers = prepareReaders(parts, new InvalidationReader(world.invalidations.buffer))
  const source = createOpenSource(parts, readers)
  const timelines = createTimelines({
    db: world.reader,
    cursors: createCursors(() => [{ id: 1, secret: Buffer.from('secret') }]),
    open: source,
    begin: readers.begin,
  })
  const feed = createLiveFeed(
    parts,
    prepareReaders(parts, new InvalidationReader(world.invalidations.buffer)),
  )
  const listKey = `list:${model.list.uri}`
  const reported = `notifications:${model.alice}`
  const join = (text: string, isForOwner: boolean) => {
    const [key] = parseTimelineKey(text, isForOwner)
    return feed.join(key!, source(key!)!)
  }
  const topics = {
    owner: join(listKey, true),
    program: join(listKey, false),
    told: join(reported, true),
  }
  return { timelines, feed, topics, listKey, told: reported }
}

type Opened = ReturnType<typeof open>

/** All events from one end to the other. */
async function walk(
  { timelines }: Opened,
  { key, isForOwner, isForward }: { key: string; isForOwner: boolean; isForward: boolean },
  random: Random,
): Promise<string[]> {
  const found: string[] = []
  const direction = isForward ? 'forward' : 'backward'
  let cursor: string | undefined
  for (let pages = 0; pages < 1_000; pages++) {
    const limit = 1 + random.below(LIMIT)
    const from = cursor === undefined ? ({ direction } as const) : { cursor }
    const page = await timelines.page({ key, limit, isForOwner, ...from })
    found.push(...page.events.map(entityIdOf))
    // A page may be empty before the end, if all that it read is left out.
    const isEnd = page.nextCursor === cursor || page.nextCursor === undefined
    if (isEnd) return isForward ? found : found.reverse()
    cursor = page.nextCursor
  }
  throw new Error('paging does not end')
}

test(`pages and merges show no one with whom there is a block (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  const model = begin()
  const original = world.post(model.alice, { text: 'an original' })
  const opened = open(model)
  const { listKey, told: reported } = opened
  const uris = (some: readonly Made[]) => some.map(({ uri }) => uri)
  let left = 0
  for (let step = 0; step < STEPS; step++) {
    act(model, random, original)
    if (step % 20 !== 19) continue
    const onList = model.posts.filter(({ by }) => model.members.has(by))
    const visible = onList.filter(({ by }) => !isBlocked(model, by))
    const notified = model.notified.filter(({ by }) => !isBlocked(model, by))
    left += onList.length - visible.length + model.notified.length - notified.length
    for (const isForward of [true, false]) {
      const read = (key: string, isForOwner: boolean) =>
        walk(opened, { key, isForOwner, isForward }, random)
      expect(await read(listKey, true)).toEqual(uris(visible))
      expect(await read(listKey, false)).toEqual(uris(onList))
      for (const isForOwner of [true, false]) {
        expect(await read(reported, isForOwner)).toEqual(uris(notified))
      }
      const merged = await read(`${listKey}+${reported}`, true)
      expect(merged.sort()).toEqual([...uris(visible), ...uris(notified)].sort())
    }
  }
  expect(left).toBeGreaterThan(50)
})

test(`live streams show none either, from the moment of the block (seed ${SEED})`, () => {
  const random = createRandom(SEED + 1)
  const model = begin()
  const original = world.post(model.alice, { text: 'an original' })
  const { feed, topics } = open(model)
  const heard = { owner: new Set<string>(), program: new Set<string>(), told: new Set<string>() }
  const expected = { owner: new Set<string>(), program: new Set<string>(), told: new Set<string>() }
  for (let step = 0; step < STEPS; step++) {
    const before = { posts: model.posts.length, notified: model.notified.length }
    act(model, random, original)
    for (const { by, uri } of model.posts.slice(before.posts)) {
      if (!model.members.has(by)) continue
      expected.program.add(uri)
      if (!isBlocked(model, by)) expected.owner.add(uri)
    }
    for (const { by, uri } of model.notified.slice(before.notified)) {
      if (!isBlocked(model, by)) expected.told.add(uri)
    }
    for (const { topic, events } of wholeLook(feed)) {
      const name = (['owner', 'program', 'told'] as const).find((item) => topics[item] === topic)!
      for (const event of events) {
        heard[name].add(entityIdOf({ ...event, timeline: topic.key.text, before: undefined }))
      }
    }
    expect(heard).toEqual(expected)
  }
  expect(expected.program.size).toBeGreaterThan(expected.owner.size)
  expect(expected.owner.size).toBeGreaterThan(0)
  expect(expected.told.size).toBeGreaterThan(0)
})

function wholeLook(feed: LiveFeed): Delivery[] {
  const look = feed.look()
  return look.isEnd ? look.deliveries : [...look.deliveries, ...wholeLook(feed)]
}
