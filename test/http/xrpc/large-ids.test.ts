// Rows whose ids no longer fit 32 bits: at every step the same history gives the same answers as with small
// ids, from the ring, from rows and from cached views.

import { afterEach, expect, test } from 'vitest'
import { createRandom, type Random } from '../../support/random.ts'
import { didOf } from '../../support/records.ts'
import { testSeed } from '../../support/seed.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'

const SEED = testSeed('large row ids')
const STEPS = 120
const PEOPLE = ['ann', 'ben', 'cat', 'dee'].map(didOf)
const READER = PEOPLE[0]!

const worlds: ServingWorld[] = []
afterEach(() => {
  for (const world of worlds.splice(0)) world.dispose()
})

/** Numbers new posts and reposts from this id on. */
function startWith(lastId: number): ServingWorld {
  const world = createServingWorld({ members: ['ann'], scope: 'network', timelineLength: 12 })
  worlds.push(world)
  for (const table of ['posts', 'reposts']) {
    world.world.db.prepare('INSERT INTO sqlite_sequence VALUES (?, ?)').run(table, lastId)
  }
  for (const value of PEOPLE.slice(1)) world.follow(READER, value)
  return world
}

function act(world: ServingWorld, random: Random, records: RecordId[]): void {
  const did = random.pick(PEOPLE)
  const old = records.length > 0 ? random.pick(records) : undefined
  const what = random.below(6)
  if (!old || what < 2) records.push(world.post(did, { text: `post ${records.length}` }))
  else if (what === 2) records.push(world.post(did, { reply: { parent: old } }))
  else if (what === 3) world.repost(did, old)
  else if (what === 4) world.like(did, old)
  else world.delete(records.splice(records.indexOf(old), 1)[0]!)
}

async function fullTimeline(world: ServingWorld): Promise<unknown[]> {
  const feed: unknown[] = []
  for (let cursor: string | undefined, pages = 0; pages === 0 || cursor; pages++) {
    const query = { limit: 7, cursor }
    const page = await world.get<{ feed: unknown[]; cursor?: string }>(
      'app.bsky.feed.getTimeline',
      query,
      READER,
    )
    feed.push(...page.feed)
    cursor = page.cursor
  }
  return feed
}

test.each([
  ['just below 2^31', 2 ** 31 - 40],
  ['just below 2^32', 2 ** 32 - 40],
  ['far above 2^32', 2 ** 36],
])(`timelines do not depend on the size of ids: %s (seed ${SEED})`, async (_, lastId) => {
  const [small, large] = [startWith(0), startWith(lastId)]
  const [first, second] = [createRandom(SEED), createRandom(SEED)]
  const [smallRecords, largeRecords]: [RecordId[], RecordId[]] = [[], []]
  for (let step = 0; step < STEPS; step++) {
    act(small, first, smallRecords)
    act(large, second, largeRecords)
    if (step % 4 === 0) expect(await fullTimeline(large)).toEqual(await fullTimeline(small))
  }
  const { max } = large.world.db.prepare('SELECT max(id) max FROM posts').get() as { max: number }
  expect(max).toBeGreaterThan(lastId)
  expect((await fullTimeline(large)).length).toBeGreaterThan(12)
})
