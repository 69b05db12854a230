// Timelines with state cached between pages against the rows alone, over random histories: the pages are
// equal byte for byte. And repaired records appear in the very next page.

import { afterEach, expect, test } from 'vitest'
import { createIsDrawn } from '../../../../src/data/graph/lossiness.ts'
import { InvalidationReader } from '../../../../src/data/shared-memory/invalidation-ring.ts'
import { prepareItemDraw } from '../../../../src/data/store/read/timelines/item-draw.ts'
import { closeAccountGap } from '../../../../src/data/store/stream/gap-repair.ts'
import { insertAccountGap } from '../../../../src/data/store/stream/gaps.ts'
import { type PageJson, pageBytes } from '../../../../src/features/timelines/sources/event-json.ts'
import { createListReading } from '../../../../src/features/timelines/sources/open-lists.ts'
import {
  createOpenSource,
  prepareReaders,
} from '../../../../src/features/timelines/sources/open-sources.ts'
import { createCursors } from '../../../../src/features/timelines/sources/signed-cursor.ts'
import { parseTimelineKey } from '../../../../src/features/timelines/sources/timeline-key.ts'
import {
  createTimelines,
  type Timelines,
} from '../../../../src/features/timelines/sources/timelines.ts'
import { decide } from '../../../../src/ingest/indexing/moderation/moderation.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'
import { entityIdOf } from '../support/timeline-events.ts'

const SEED = testSeed('kept timelines')
const STEPS = 600
const NAMES = ['alice', 'bob', 'carol', 'dave', 'eve', 'frank']

let world: World
afterEach(() => world.dispose())

type Pages = (request: Parameters<Timelines['page']>[0]) => PageJson

function open({ isStored }: { isStored: boolean }): Pages {
  const { actors, graph } = world.memory
  const db = world.reader
  const isDrawn = createIsDrawn({ graph, limit: 4, draw: prepareItemDraw(db, actors) })
  const parts = { db, actors, graph, isDrawn }
  const invalidations = isStored ? new InvalidationReader(world.invalidations.buffer) : undefined
  const readers = prepareReaders(parts, invalidations)
  const timelines = createTimelines({
    db,
    cursors: createCursors(() => [{ id: 1, secret: Buffer.from('secret') }]),
    open: createOpenSource(parts, readers),
    begin: readers.begin,
  })
  const prepare = createListReading(parts, readers)
  return (request) => {
    for (const _ of prepare(parseTimelineKey(request.key)));
    return timelines.page(request) as PageJson
  }
}

function history(random: Random) {
  const people = NAMES.map((name) => world.account(name))
  const [alice] = people as [string]
  const posts: RecordId[] = []
  const ties: RecordId[] = []
  const lists = [
    world.list(alice, 'followed', 'app.bsky.graph.defs#curatelist'),
    world.list(alice, 'blocked'),
  ] as const
  const other = () => random.pick(people.slice(1))
  const post = (by: string) => posts.push(world.post(by, { text: 'ü'.repeat(random.below(4)) }))
  const onPost = (act: (record: RecordId) => void) => posts.length > 0 && act(random.pick(posts))
  const onTie = (act: (record: RecordId) => void) => ties.length > 0 && act(random.pick(ties))
  const decideOn = (act: 'hide' | 'show', subject: string) =>
    world.run((ctx) => decide(ctx, { act, subject, by: 'the operator', reason: '' }))
  const acts: (() => unknown)[] = [
    () => post(random.pick(people)),
    () => post(random.pick(people)),
    () => onPost((record) => posts.push(world.repost(random.pick(people), record))),
    () => onPost((record) => world.delete(record)),
    () => onPost((record) => random.chance(0.5) && writeAgain(record)),
    () => onPost(({ uri }) => decideOn(random.chance(0.5) ? 'hide' : 'show', uri)),
    () => ties.push(world.follow(alice, other())),
    () => random.chance(0.3) && ties.push(world.block(other(), alice)),
    () => random.chance(0.3) && ties.push(world.block(alice, other())),
    () => ties.push(world.listItem(alice, random.pick(lists), other())),
    () => random.chance(0.2) && ties.push(world.listBlock(alice, lists[1])),
    () => onTie((record) => world.delete(record)),
    () => random.chance(0.2) && world.status(other(), random.pick([undefined, 'deactivated'])),
  ]
  const keys = [
    ...[`following:${alice}`, `author:${people[1]}`, `list:${lists[0].uri}`],
    `author:${people[2]}+following:${alice}+notifications:${alice}`,
  ]
  return { keys, act: () => random.pick(acts)() }
}

/** Writes the same record key with another text, whether the record exists or was deleted. */
function writeAgain({ uri }: RecordId): void {
  const [did, collection, rkey] = uri.slice('at://'.length).split('/') as [string, string, string]
  if (collection !== 'app.bsky.feed.post') return
  world.write({ did, collection, rkey, record: { text: 'again', createdAt: world.isoNow() } })
}

test(`pages from cached state equal pages from rows (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  world = createWorld({ scope: 'network', members: ['alice'] })
  const { keys, act } = history(random)
  for (const name of NAMES) world.post(world.account(name), { text: 'first' })
  const [stored, fromRows] = [open({ isStored: true }), open({ isStored: false })]
  let events = 0
  for (let step = 0; step < STEPS; step++) {
    act()
    const key = random.pick(keys)
    let cursor: string | undefined
    for (let pages = 0; pages < 3; pages++) {
      const limit = 1 + random.below(6)
      const direction = random.pick(['forward', 'backward'] as const)
      const request = cursor === undefined ? { key, limit, direction } : { key, limit, cursor }
      const page = stored(request)
      expect(pageBytes(page).toString()).toBe(pageBytes(fromRows(request)).toString())
      events += page.events.length
      cursor = page.nextCursor
    }
  }
  expect(events).toBeGreaterThan(STEPS)
})

test('repaired records are in the next page, and after the repair no gaps are reported', () => {
  world = createWorld({ scope: 'network', members: ['alice'] })
  const [alice, bob] = [world.account('alice'), world.account('bob')]
  world.follow(alice, bob)
  world.post(bob, { text: 'before' })
  const page = open({ isStored: true })
  const uid = world.uid(bob)
  const gap = { uid, cause: 'sync' as const, fromUs: 0, toUs: 2 * Date.now() * 1_000 }
  insertAccountGap(world.db, gap, world.now())
  const first = page({ key: `following:${alice}`, limit: 10, direction: 'forward' })
  expect([first.events.length, first.gaps.length]).toEqual([1, 1])
  const uri = `at://${bob}/app.bsky.feed.post/3kabcdefgh222`
  const record = { $type: 'app.bsky.feed.post', text: 'missed', createdAt: world.isoNow() }
  world.fetched({ uri, record })
  const second = page({ key: `following:${alice}`, limit: 10, cursor: first.nextCursor! })
  expect(second.events.map(entityIdOf)).toEqual([uri])
  expect(second.events[0]!.seq).toBeGreaterThan(first.events[0]!.seq)
  expect(second.gaps).toHaveLength(1)
  closeAccountGap(world.db, uid, { how: 'compared', now: world.now() })
  const third = page({ key: `following:${alice}`, limit: 10, direction: 'forward' })
  expect([third.events.length, third.gaps.length]).toEqual([2, 0])
})
