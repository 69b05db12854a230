// Random worlds, presented by the reference AppView's own code over our dataplane (its client, real sockets)
// and over a data plane that scans every record: the JSON is equal.

import { describe, expect, test } from 'vitest'
import { hydrateWorld, overTheWire } from '../../support/hydration.ts'
import { indexWorld } from '../../support/indexed-world.ts'
import { createRandom } from '../../support/random.ts'
import { randomWorld } from '../../support/random-world.ts'
import {
  type Reference,
  type ReferenceItem,
  referenceIsInstalled,
  referenceOver,
  referenceWith,
} from '../../support/reference-appview.ts'
import type { World } from '../../support/social-world.ts'
import { referenceClient, startDataplaneOver } from './dataplane-world.ts'

const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const SEEDS = Array.from({ length: Number(process.env['SEEDS'] ?? 2) }, (_, i) => FIRST_SEED + i)
const STEPS = 90

if (!referenceIsInstalled) {
  console.warn('SKIPPED: no reference to compare with; run npm ci in test/e2e')
}

describe.skipIf(!referenceIsInstalled)('the reference shows the same over ours', () => {
  test.each(SEEDS)('of the world with seed %i', async (seed) => {
    const world = randomWorld(createRandom(seed), STEPS)
    const ours = hydrateWorld(world, indexWorld)
    const dataplane = await startDataplaneOver(ours, { world })
    const client = await referenceClient(dataplane.url, seed % 2 === 0 ? '1.1' : '2')
    const overOurs = await referenceWith(client)
    const overDouble = await referenceOver(world, ours.written.order)
    for (const viewer of [undefined, ...world.accounts.keys()]) {
      const [a, b] = await Promise.all(
        [overOurs, overDouble].map((reference) => format(reference, world, viewer)),
      )
      for (const [what, view] of Object.entries(b!)) {
        expect(a![what], `${what} for ${viewer} (SEED=${seed})`).toEqual(view)
      }
    }
    await dataplane.close()
    ours.close()
  })
})

/** The whole world as JSON. */
async function format(
  { hydrator, views, context }: Reference,
  world: World,
  viewer: string | undefined,
): Promise<Record<string, unknown>> {
  const ctx = context(viewer)
  const items = itemsOf(world)
  const feed = await hydrator.hydrateFeedItems(items, ctx)
  const dids = [...world.accounts.keys()]
  const people = await hydrator.hydrateProfilesDetailed(dids, ctx)
  const visible: Record<string, unknown> = {}
  for (const item of items) {
    const name = item.repost?.uri ?? item.post.uri
    visible[`item ${name}`] = overTheWire(views.feedViewPost(item, feed))
    visible[`rules ${name}`] = views.feedItemBlocksAndMutes(item, feed)
  }
  for (const did of dids) {
    visible[`profile ${did}`] = overTheWire(views.profileDetailed(did, people))
  }
  const uris = (collection: string) => world.of(collection).map(({ uri }) => uri)
  const feeds = uris('app.bsky.feed.generator')
  const generators = await hydrator.hydrateFeedGens(feeds, ctx)
  for (const uri of feeds) visible[uri] = overTheWire(views.feedGenerator(uri, generators))
  const packs = uris('app.bsky.graph.starterpack')
  const packState = await hydrator.hydrateStarterPacks(packs, ctx)
  for (const uri of packs) visible[uri] = overTheWire(views.starterPack(uri, packState))
  return visible
}

function itemsOf(world: World): ReferenceItem[] {
  const posts = world.of('app.bsky.feed.post').map(({ uri }) => ({ post: { uri } }))
  const reposts = world.of('app.bsky.feed.repost').map(({ uri, value }) => ({
    post: { uri: (value['subject'] as { uri: string }).uri },
    repost: { uri },
  }))
  return [...posts, ...reposts]
}
