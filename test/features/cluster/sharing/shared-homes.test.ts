// Home timelines of members whose buckets other nodes have, over random histories: a page is the same whether
// it was made from the end of the member's log, from state kept since the last page, or from rows.

import { createTimelines, type TimelineReader } from '@slipstream/follow-graph'
import { afterEach, expect, test } from 'vitest'
import { createTimelineSkeleton } from '../../../../src/answers/skeleton/timeline.ts'
import {
  awaitPublished,
  InvalidationReader,
} from '../../../../src/data/shared-memory/invalidation-ring.ts'
import { createMergedFeed } from '../../../../src/data/store/timelines/merged-feed.ts'
import { BUCKETS } from '../../../../src/features/cluster/engine/buckets.ts'
import { createHeldBuckets } from '../../../../src/features/cluster/engine/held-buckets.ts'
import { createSoleLeases } from '../../../../src/features/cluster/engine/leases.ts'
import { createArrivalTail } from '../../../../src/features/cluster/sharing/arrival-tail.ts'
import { createDeliveries } from '../../../../src/features/cluster/sharing/following-deliveries.ts'
import { createFollowingWriter } from '../../../../src/features/cluster/sharing/following-writer.ts'
import { createGuestTimelines } from '../../../../src/features/cluster/sharing/guest-timelines.ts'
import { createSharedHomes } from '../../../../src/features/cluster/sharing/shared-homes.ts'
import { prepareReaders } from '../../../../src/features/timelines/sources/open-sources.ts'
import { storesFromRows } from '../../../support/memory-parts.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'
import { createPlainFollowing } from '../support/plain-following-log.ts'

const SEED = testSeed('home timelines of other nodes’ members')
const ROUNDS = 24
const ACTS_A_ROUND = 12
const READERS = ['alice', 'bob', 'carol']
const AUTHORS = ['dave', 'eve', 'frank', 'grace', 'heidi']
const silent = { warn() {}, error: (...line: unknown[]) => console.error(...line) }

let world: World
const toClose: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close()
})

/** A node that writes all members' logs, and reads them as if another node had them. */
async function startNode(limit: number) {
  const { memory, reader: db } = world
  const { actors, graph } = memory
  const { isDrawn } = storesFromRows(db, memory, limit)
  const plain = createPlainFollowing()
  const cluster = async () => plain
  const readers = prepareReaders({ db, actors, graph })
  const published = new Int32Array(world.invalidations.buffer)
  const isPublished = () => awaitPublished(published, 0)
  const common = { cluster, db, actors, graph, isPublished, log: silent }
  const reading = () => new InvalidationReader(world.invalidations.buffer)
  const writer = createFollowingWriter({
    ...common,
    ...readers,
    invalidations: reading(),
    leases: createSoleLeases(),
    deliveries: createDeliveries({ db, actors, graph, isDrawn }, readers),
  })
  toClose.push(() => writer.close())
  // From now on it writes new arrivals.
  await expect.poll(plain.begun).toBe(BUCKETS)
  const feed = createMergedFeed(db)
  const skeletonOver = (timelines: TimelineReader) =>
    createTimelineSkeleton({ graph, actors, feed, isDrawn, timelines })

  /** Like a serving thread that has just started. */
  function startHomes() {
    const tail = createArrivalTail(readers.arrivals)
    const items = readers.logged
    const guests = createGuestTimelines({
      actors,
      graph,
      isDrawn,
      items,
      tail,
      invalidations: reading(),
    })
    const homes = createSharedHomes({
      ...common,
      items,
      tail,
      guests,
      rings: createTimelines(1),
      held: createHeldBuckets(),
      writer: { send: async () => undefined },
      clocksDifferMs: 1,
    })
    return { homes, read: skeletonOver(homes.timelines) }
  }
  return { plain, writer, startHomes, readRows: skeletonOver(createTimelines(1)) }
}

type Node = Awaited<ReturnType<typeof startNode>>
type Homes = ReturnType<Node['startHomes']>

function createActs(random: Random) {
  const readers = READERS.map((name) => world.account(name))
  const authors = AUTHORS.map((name) => world.account(name))
  const records: (RecordId & { isPost: boolean })[] = []
  const ties = new Map<string, RecordId>()
  const hidden = new Set<string>()

  function turn(key: string, begin: () => RecordId): void {
    const known = ties.get(key)
    if (known) world.delete(known)
    if (known) ties.delete(key)
    else ties.set(key, begin())
  }
  const follow = (reader: string, author: string) =>
    turn(`${reader} follows ${author}`, () => world.follow(reader, author))
  for (const reader of readers) for (const author of authors.slice(0, 3)) follow(reader, author)

  const someone = () => random.pick([...authors, ...readers])
  const post = () => {
    const age = random.chance(0.2) ? random.below(5_000) : 0
    const createdAt = new Date(world.now() - age).toISOString()
    records.push({ ...world.post(someone(), { createdAt }), isPost: true })
  }
  const acts: (() => void)[] = [
    ...[post, post, post, post, post, post],
    () => {
      const posts = records.filter(({ isPost }) => isPost)
      if (posts.length === 0) return
      records.push({ ...world.repost(someone(), random.pick(posts)), isPost: false })
    },
    () => {
      if (records.length > 0) world.delete(records.splice(random.below(records.length), 1)[0]!)
    },
  ]
  const rare: (() => void)[] = [
    () => follow(random.pick(readers), random.pick(authors)),
    () => {
      const [reader, author] = [random.pick(readers), random.pick(authors)]
      turn(`${reader} blocks ${author}`, () => world.block(reader, author))
    },
    () => {
      const author = random.pick(authors)
      if (hidden.delete(author)) world.status(author)
      else {
        hidden.add(author)
        world.status(author, 'deactivated')
      }
    },
  ]
  return {
    readers,
    act(): void {
      catchUpClock()
      random.pick(random.chance(0.05) ? rare : acts)()
      noteStream()
    },
  }
}

/** Makes acts happen at the current time. */
function catchUpClock(): void {
  world.tick(Math.max(1, Date.now() - world.now()))
}

function noteStream(): void {
  const timeUs = world.now() * 1_000
  world.commit({ events: [], cursor: { host: 'a', wire: 'v2', seq: 1, timeUs } })
}

/** @returns whether the engine could be asked; undefined if it was not asked */
function comesAgain(homes: Homes['homes'], did: string): Promise<boolean> | undefined {
  const viewer = { did, uid: world.uid(did) }
  homes.requested(viewer)
  return homes.requested(viewer)
}

/** Page by page to the end, each fetched as a request does. */
async function expectSame(node: Node, { homes, read }: Homes, did: string, random: Random) {
  const limit = 3 + random.below(40)
  const viewer = world.uid(did)
  let cursor: string | undefined
  for (let page = 0; page < 4; page++) {
    await comesAgain(homes, did)
    const request = { viewer, limit, cursor, since: undefined }
    const found = read(request)
    const rows = node.readRows(request)
    expect(found, `page ${page + 1} of ${did}`).toEqual(rows)
    cursor = rows.cursor
    if (cursor === undefined) return
  }
}

for (const limit of [2_000, 3]) {
  test(`pages of other nodes’ members equal those made from rows, with a timeline of ${limit} (seed ${SEED})`, async () => {
    const random = createRandom(SEED + limit)
    world = createWorld({
      scope: 'network',
      members: READERS,
      startAt: Date.now(),
      reasonableLimit: limit,
    })
    toClose.push(() => world.dispose())
    const node = await startNode(limit)
    const { readers, act } = createActs(random)
    const running = node.startHomes()
    const used = { cold: 0, running: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      for (let i = 0; i < ACTS_A_ROUND; i++) act()
      const cold = node.startHomes()
      for (const did of readers) {
        await expectSame(node, running, did, random)
        await expectSame(node, cold, did, random)
      }
      used.cold += cold.homes.counts().used
      if (random.chance(0.8)) await written(node)
    }
    used.running = running.homes.counts().used
    // Enough pages were made from the logs for a meaningful test.
    expect(used.cold).toBeGreaterThan(ROUNDS)
    expect(running.homes.counts().requested).toBeLessThan(ROUNDS * readers.length)
  })
}

/** Resolves once the last post is in all the logs that receive it. */
async function written(node: Node): Promise<void> {
  catchUpClock()
  const { uri } = world.post(world.account('alice'))
  noteStream()
  await expect.poll(() => node.plain.isThere(uri)).toBe(true)
}

test('no page waits for the engine, which is asked for returning members, and fetched state continues without it', async () => {
  world = createWorld({ scope: 'network', members: READERS, startAt: Date.now() })
  toClose.push(() => world.dispose())
  const node = await startNode(2_000)
  const [alice, bob] = READERS.map((name) => world.account(name)) as [string, string]
  world.follow(alice, world.account('dave'))
  await written(node)
  const { homes, read } = node.startHomes()
  const reads = node.plain.state.reads
  expect(homes.requested({ did: alice, uid: world.uid(alice) })).toBeUndefined()
  expect(node.plain.state.reads).toBe(reads)
  expect(await comesAgain(homes, alice)).toBe(true)
  node.plain.state.isAway = true
  expect(await comesAgain(homes, alice)).toBeUndefined()
  expect(await comesAgain(homes, bob)).toBe(false)
  expect(homes.counts()).toMatchObject({ cached: 1 })
  world.post(world.account('dave'))
  const random = createRandom(1)
  await expectSame(node, { homes, read }, alice, random)
  await expectSame(node, { homes, read }, bob, random)
})
