// Rows cached between requests: they never change an answer, and their size stays bounded.

import type { StreamEvent } from '@slipstream/jetstream'
import { expect, test } from 'vitest'
import { CachedRows } from '../../../src/answers/hydrate/cached-rows.ts'
import { createHydrator } from '../../../src/answers/hydrate/hydrator.ts'
import { createReader } from '../../../src/answers/hydrate/reader.ts'
import { jsonBytes } from '../../../src/answers/views/json/ready-json.ts'
import { createMediaUrls } from '../../../src/answers/views/media-urls.ts'
import { feedViewPost } from '../../../src/answers/views/posts/feed-view-post.ts'
import { profileViewDetailed } from '../../../src/answers/views/profiles/profile-view-detailed.ts'
import { profileView } from '../../../src/answers/views/profiles/profile-views.ts'
import { postItem, repostItem } from '../../../src/data/store/timelines/item-ids.ts'
import { createRandom } from '../../support/random.ts'
import { randomHistory, unreliably } from '../../support/random-history.ts'
import { referenceUrlPatterns } from '../../support/reference-appview.ts'
import { createWorld, type World } from '../../support/world.ts'

const SEED = Number(process.env['SEED'] ?? 90_112)
const urls = createMediaUrls(referenceUrlPatterns)

/** Everything in the world, as this viewer sees it. */
function everything(world: World, hydrator: ReturnType<typeof hydratorOf>, did: string): unknown {
  const ids = (table: string) =>
    world.db.prepare<[], number>(`SELECT id FROM ${table} ORDER BY id`).pluck().all()
  const items = [...ids('posts').map(postItem), ...ids('reposts').map(repostItem)]
  const uids = Array.from({ length: world.actors.count }, (_, i) => i + 1)
  const viewer = createReader({ did, uid: world.uid(did) })
  const feed = hydrator.feed(items, viewer)
  const profiles = hydrator.profiles(uids, viewer, { detailed: true })
  return {
    feed: items.map((item) => feedViewPost(feed, item)),
    profiles: uids.map((uid) => [profileView(profiles, uid), profileViewDetailed(profiles, uid)]),
    refs: [...feed.postRefs.values()],
  }
}

function hydratorOf({ db, actors, graph }: World) {
  return createHydrator({ db, actors, graph, urls })
}

/**
 * Returns both pages around their first difference; whole pages would make the message unreadable.
 */
function firstDifference(a: Buffer, b: Buffer): string[] | undefined {
  if (a.equals(b)) return undefined
  const at = a.findIndex((byte, i) => byte !== b[i])
  return [a, b].map((bytes) => bytes.subarray(Math.max(at - 300, 0), at + 100).toString())
}

/** Fails after the last event, like a full disk. */
function failing(events: StreamEvent[]): StreamEvent[] {
  const poison = {
    kind: 'commit',
    get did(): string {
      throw new Error('the disk is full')
    },
  }
  return [...events, poison as unknown as StreamEvent]
}

test(`cached rows never change an answer, over a random history with failures (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  const names = ['person-0', 'person-1']
  const world = createWorld({ scope: 'network', members: names })
  try {
    const viewer = world.account('person-0')
    const retaining = hydratorOf(world)
    const sizes = new Set<number>()
    const events = unreliably(randomHistory(world, random, 700), random)
    for (let at = 0; at < events.length; ) {
      const batch = events.slice(at, at + 1 + random.below(30))
      at += batch.length
      if (random.chance(0.2)) expect(() => world.apply(failing(batch))).toThrow('the disk is full')
      world.apply(batch)
      const fresh = everything(world, hydratorOf(world), viewer)
      const stored = everything(world, retaining, viewer)
      expect(firstDifference(jsonBytes(stored), jsonBytes(fresh))).toBeUndefined()
      // The cached bytes equal plain serialisation.
      expect(JSON.parse(jsonBytes(stored).toString())).toEqual(JSON.parse(JSON.stringify(fresh)))
      sizes.add(jsonBytes(stored).length)
    }
    expect(sizes.size).toBeGreaterThan(20)
  } finally {
    world.dispose()
  }
})

test('evicts unused rows before the byte limit is exceeded', () => {
  const rows = new CachedRows<[number], { id: number }>(1_000)
  for (let id = 1; id <= 100; id++) {
    rows.add(id, [id], { id }, 100)
    rows.find(1)
  }
  const held = Array.from({ length: 100 }, (_, i) => i + 1).filter((id) => rows.find(id))
  expect(held.length).toBeLessThanOrEqual(10)
  expect(held).toContain(1)
  expect(held).toContain(100)
})
