// Cached views equal uncached ones for every viewer of random worlds, whatever was cached before.

import { expect, test } from 'vitest'
import { createViewCache } from '../../../src/answers/cache/view-cache.ts'
import { createReader } from '../../../src/answers/hydrate/reader.ts'
import {
  InvalidationReader,
  InvalidationWriter,
} from '../../../src/data/shared-memory/invalidation-ring.ts'
import type { Db } from '../../../src/data/store/db.ts'
import { postItem, repostItem } from '../../../src/data/store/timelines/item-ids.ts'
import { hydrateWorld } from '../../support/hydration.ts'
import { createRandom } from '../../support/random.ts'
import { randomWorld } from '../../support/random-world.ts'
import { expectSameAsViews, type Things } from '../../support/views-compared.ts'

const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const SEEDS = Array.from({ length: Number(process.env['SEEDS'] ?? 1) }, (_, i) => FIRST_SEED + i)

function everyThing(db: Db): Things {
  const ids = (sql: string) => db.prepare<[], number>(sql).pluck().all()
  const posts = ids('SELECT id FROM posts ORDER BY id')
  const reposts = ids('SELECT id FROM reposts ORDER BY id')
  return {
    items: [...posts.map(postItem), ...reposts.map(repostItem)],
    posts,
    uids: ids('SELECT uid FROM actors ORDER BY uid'),
  }
}

test.each(SEEDS)('of the world with seed %i, to visitors, members and strangers', (seed) => {
  const world = randomWorld(createRandom(seed), 260)
  const { hydrator, db, written, close, reader } = hydrateWorld(world)
  const invalidations = new InvalidationWriter()
  const viewCache = createViewCache({
    hydrator,
    invalidations: new InvalidationReader(invalidations.buffer),
    maxBytes: 96 << 20,
  })
  const little = createViewCache({
    hydrator,
    invalidations: new InvalidationReader(invalidations.buffer),
    maxBytes: 60_000,
  })
  const things = everyThing(db)
  const stranger = { uid: 0, did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa' }
  const readers = [undefined, ...world.accounts.keys()].map(reader)
  readers.push(createReader(stranger))
  const reported = new Set<string>()
  for (const reader of [...readers, ...readers]) {
    reported.add(expectSameAsViews({ viewCache, hydrator }, things, reader))
    expectSameAsViews({ viewCache: little, hydrator }, things, reader)
  }
  expect(reported.size).toBeGreaterThan(5)
  expect(viewCache.usage().viewCache).toBeGreaterThan(10_000)
  expect(little.usage().viewCache).toBeLessThanOrEqual(40_000)
  expect(little.usage().viewers).toBeLessThanOrEqual(20_000)
  viewCache.limitTo(30_000)
  expect(viewCache.usage().viewCache).toBeLessThanOrEqual(20_000)
  expect(viewCache.usage().viewers).toBeLessThanOrEqual(10_000)
  for (const reader of readers) expectSameAsViews({ viewCache, hydrator }, things, reader)
  expect(viewCache.usage().viewCache).toBeLessThanOrEqual(20_000)
  void written
  close()
})

/** For half of the items. */
const CAPACITY = 200_000

test('facts are found for all items, also if those that are made take the place of those that were kept', () => {
  const world = randomWorld(createRandom(FIRST_SEED), 150)
  const { hydrator, db, close, reader } = hydrateWorld(world)
  const invalidations = new InvalidationWriter()
  const withCapacityFor = (maxBytes: number) =>
    createViewCache({
      hydrator,
      invalidations: new InvalidationReader(invalidations.buffer),
      maxBytes,
    })
  const [ample, tight] = [withCapacityFor(96 << 20), withCapacityFor(CAPACITY)]
  const items = everyThing(db).items.slice(0, 120)
  const by = reader(undefined)
  const expected = ample.facts(items, by)
  for (let first = 0; first < items.length; first += 30) {
    tight.facts(items.slice(first, first + 10), by)
    expect(tight.facts(items, by)).toEqual(expected)
  }
  close()
})
