// A merge of fourteen timelines of all kinds, walked while records arrive: `received_at` never goes back, whether
// records are late, the machine's clock is set back, or the server starts again.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { InvalidationReader } from '../../../../src/data/shared-memory/invalidation-ring.ts'
import { pageBytes } from '../../../../src/features/timelines/sources/event-json.ts'
import {
  createOpenSource,
  prepareReaders,
} from '../../../../src/features/timelines/sources/open-sources.ts'
import { createCursors } from '../../../../src/features/timelines/sources/signed-cursor.ts'
import { createTimelines } from '../../../../src/features/timelines/sources/timelines.ts'
import { createTimelineRequests } from '../../../../src/features/timelines/writing/timeline-requests.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { testSeed } from '../../../support/seed.ts'
import type { PageJson } from '../../../support/timelines-process.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'

const SEED = testSeed('order of merges')
const ROUNDS = 200
const MINUTE_MS = 60_000

let world: World
/** What the machine's clock says, and how much that is too early. */
let clock = Date.parse('2026-11-28T12:00:00Z')
let lateness = 0
beforeEach(() => {
  world = createWorld({ scope: 'network', members: ['alice', 'bob', 'carol'] })
  vi.spyOn(Date, 'now').mockImplementation(() => clock)
})
afterEach(() => {
  vi.restoreAllMocks()
  world.dispose()
})

function openTimelines() {
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

function poster() {
  const { writer } = world
  const diskSpace = {
    attempt: <T>(work: () => T) => work(),
    ifThereIsSpace: (work: () => void) => work(),
  }
  return createTimelineRequests({ db: world.db, writer, diskSpace })
}

const names = ['alice', 'bob', 'carol']

/** Anything that may arrive, with whatever time it says itself. */
function something(random: Random, posts: RecordId[]): void {
  const who = world.account(random.pick(names))
  const createdAt = new Date(clock - random.below(30) * MINUTE_MS).toISOString()
  const dice = random.below(4)
  if (dice === 0 || posts.length === 0) posts.push(world.post(who, { text: 'a post', createdAt }))
  else if (dice === 1)
    world.create(who, 'app.bsky.feed.like', { subject: random.pick(posts), createdAt })
  else if (dice === 2)
    world.create(who, 'app.bsky.feed.repost', { subject: random.pick(posts), createdAt })
  else
    world.create(who, 'app.bsky.graph.follow', {
      subject: world.account(random.pick(names)),
      createdAt,
    })
}

test(`each page continues the order of the pages before (seed ${SEED})`, async () => {
  const random = createRandom(SEED)
  const keys = ['following', 'author', 'notifications', 'likes']
    .flatMap((kind) => names.map((name) => `${kind}:${world.account(name)}`))
    .concat('custom:one', 'custom:two')
  expect(keys).toHaveLength(14)
  const posts: RecordId[] = []
  let timelines = openTimelines()
  let cursor: string | undefined
  let last = ''
  let count = 0
  let posted = 0
  let append = poster()
  for (let round = 0; round < ROUNDS; round++) {
    clock += random.below(1_000)
    if (random.chance(0.05)) {
      const before = lateness
      lateness = random.below(20 * MINUTE_MS)
      clock += before - lateness
    }
    for (let i = random.below(4); i > 0; i--) {
      if (random.chance(0.6)) something(random, posts)
      else {
        const entityId = `note ${posted++}`
        const name = random.pick(['one', 'two'])
        const item = { entityId, entityType: 'note', payload: '{}', producerTs: 1, name }
        const post = { ...item, body: Buffer.from(entityId), key: undefined, numbered: undefined }
        expect(append({ kind: 'post', posts: [post] })).toMatchObject([{ ok: true }])
      }
    }
    if (random.chance(0.03)) {
      world.restart()
      timelines = openTimelines()
      append = poster()
    }
    const from = cursor === undefined ? { direction: 'forward' as const } : { cursor }
    const bytes = pageBytes(
      await timelines.page({ key: keys.join('+'), limit: 1 + random.below(9), ...from }),
    )
    const page = JSON.parse(bytes.toString()) as PageJson
    for (const { received_at } of page.events) {
      expect(received_at >= last, `${received_at} after ${last} in round ${round}`).toBe(true)
      last = received_at
    }
    count += page.events.length
    cursor = page.next_cursor ?? cursor
  }
  expect(count).toBeGreaterThan(ROUNDS / 2)
})
