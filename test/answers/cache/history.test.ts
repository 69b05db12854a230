// Cached views through a random history with failures: after each batch they equal views built from scratch.
// Only notes tell the cache what changed.

import type { StreamEvent } from '@slipstream/jetstream'
import { expect, test } from 'vitest'
import { createViewCache } from '../../../src/answers/cache/view-cache.ts'
import { createHydrator } from '../../../src/answers/hydrate/hydrator.ts'
import { createReader } from '../../../src/answers/hydrate/reader.ts'
import { createMediaUrls } from '../../../src/answers/views/media-urls.ts'
import { InvalidationReader } from '../../../src/data/shared-memory/invalidation-ring.ts'
import { postItem, repostItem } from '../../../src/data/store/timelines/item-ids.ts'
import { createMergedFeed } from '../../../src/data/store/timelines/merged-feed.ts'
import { tellSeedCounts } from '../../support/earlier-acts.ts'
import { privateAct } from '../../support/private-acts.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { randomHistory, unreliably } from '../../support/random-history.ts'
import {
  IN_A_CENTURY,
  labelSomething,
  labelThemselves,
  someLabelers,
} from '../../support/random-labels.ts'
import { rareActs, trustedVerifier } from '../../support/rare-acts.ts'
import { referenceUrlPatterns } from '../../support/reference-appview.ts'
import { expectSameAsViews, type Things } from '../../support/views-compared.ts'
import { createWorld, type World } from '../../support/world.ts'

const SEED = Number(process.env['SEED'] ?? 31_007)
/** Room for about half of the views. */
const LITTLE_BYTES = 400_000
const MEMBERS = ['person-0', 'person-1']

function cachedViewsOf(world: World, maxBytes: number) {
  const { reader: db, actors, graph, invalidations } = world
  const urls = createMediaUrls(referenceUrlPatterns)
  const hydrator = createHydrator({
    db,
    actors,
    graph,
    urls,
    trustedVerifiers: [trustedVerifier],
  })
  const viewCache = createViewCache({
    hydrator,
    invalidations: new InvalidationReader(invalidations.buffer),
    maxBytes,
  })
  const feeds = { kept: viewCache.feedOver(db), fresh: createMergedFeed(db) }
  return { hydrator, viewCache, feeds }
}

/** Some present or past things, newer ones more often, and some that never existed. */
function someThings(world: World, random: Random): Things {
  const upTo = (sql: string) => {
    const count = world.db.prepare<[], number>(sql).pluck().get()!
    return Array.from({ length: count + 1 }, (_, i) => count + 1 - i)
  }
  const some = (all: number[]) => all.filter((_, i) => random.chance(i < 25 ? 0.7 : 0.2))
  const posts = some(upTo('SELECT coalesce(max(id), 0) FROM posts'))
  const reposts = some(upTo('SELECT coalesce(max(id), 0) FROM reposts'))
  const items = [...posts.map(postItem), ...reposts.map(repostItem)]
  const uids = some(Array.from({ length: world.actors.count }, (_, i) => i + 1))
  return { items, posts, uids }
}

/** Pages of posts and reposts by some accounts. */
function expectSameFeed({ feeds }: ReturnType<typeof cachedViewsOf>, world: World, random: Random) {
  const originators = Array.from({ length: world.actors.count }, (_, i) => i + 1)
  const until = random.chance(0.5) ? world.now() : world.now() - random.below(5_000)
  const page = { originators: originators.filter(() => random.chance(0.7)), until, limit: 20 }
  const [stored, fresh] = [feeds.kept.newest(page), feeds.fresh.newest(page)]
  const inOrder = ({ rows }: typeof stored) =>
    rows.toSorted((a, b) => b.sortAt - a.sortAt || b.item - a.item)
  expect(inOrder(stored)).toEqual(inOrder(fresh))
  expect(stored.floor).toBe(fresh.floor)
  const items = fresh.rows.map(({ item }) => item)
  expect(feeds.kept.cidsOf(items)).toEqual(feeds.fresh.cidsOf(items))
  for (const item of items) {
    expect(feeds.kept.cidsOf([item])).toEqual(feeds.fresh.cidsOf([item]))
  }
}

function failing(events: StreamEvent[]): StreamEvent[] {
  const poison = {
    kind: 'commit',
    get did(): string {
      throw new Error('the disk is full')
    },
  }
  return [...events, poison as unknown as StreamEvent]
}

test(`after random changes and failures, cached fragments equal fresh views (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  const world = createWorld({ scope: 'network', members: MEMBERS })
  try {
    const much = cachedViewsOf(world, 96 << 20)
    const little = cachedViewsOf(world, LITTLE_BYTES)
    const reported = new Set<string>()
    const events = unreliably(randomHistory(world, random, 600), random)
    for (let at = 0; at < events.length; ) {
      const batch = events.slice(at, at + 1 + random.below(12))
      at += batch.length
      if (random.chance(0.1)) expect(() => world.apply(failing(batch))).toThrow('the disk is full')
      world.apply(batch)
      const [by, whom] = [random.pick(MEMBERS), `person-${random.below(9)}`]
      if (random.chance(0.2)) world.mute(world.account(by), world.account(whom))
      if (random.chance(0.2)) world.unmute(world.account(by), world.account(whom))
      for (let acts = random.below(4); acts > 0; acts--) {
        privateAct(world, random, MEMBERS.map(world.account))
      }
      rareActs(world, random, random.below(9))
      for (let acts = random.below(3); acts > 0; acts--) labelSomething(world, random)
      if (random.chance(0.3)) labelThemselves(world, random)
      if (random.chance(0.2)) tellSeedCounts(world, random)
      const things = someThings(world, random)
      const did = world.account(random.pick(MEMBERS))
      const viewer = { did, uid: world.uid(did) }
      const labelers = someLabelers(world, random)
      const compare = (by: typeof much, who: typeof viewer | undefined) =>
        expectSameAsViews(by, things, createReader(who, { labelers }))
      reported.add(compare(much, viewer))
      if (random.chance(0.4)) compare(little, viewer)
      if (random.chance(0.1)) compare(much, undefined)
      expectSameFeed(much, world, random)
    }
    expect(reported.size).toBeGreaterThan(60)
    const likers = ['"knownLikers":{"count":1,"actors":[{', '"knownLikers":{"count":2']
    for (const sign of [
      `"val":"rude"`,
      `"val":"!takedown"`,
      `"exp":"${IN_A_CENTURY}"`,
      ...likers,
    ]) {
      expect([...reported].some((text) => text.includes(sign))).toBe(true)
    }
    expect(little.viewCache.usage().viewCache).toBeLessThanOrEqual(LITTLE_BYTES)
  } finally {
    world.dispose()
  }
})
