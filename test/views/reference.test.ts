// Random worlds, presented by the reference AppView's own code and by ours: the same JSON.

import { describe, expect, test } from 'vitest'
import { postItem, repostItem } from '../../src/store/item-ids.ts'
import { feedViewPost } from '../../src/views/feed-view-post.ts'
import { postView } from '../../src/views/post-view.ts'
import {
  profileView,
  profileViewBasic,
  profileViewDetailed,
} from '../../src/views/profile-views.ts'
import { feedItemRules } from '../../src/views/rules.ts'
import { type HydratedWorld, hydrateWorld, overTheWire } from '../support/hydration.ts'
import { indexWorld } from '../support/indexed-world.ts'
import { createRandom } from '../support/random.ts'
import { randomWorld } from '../support/random-world.ts'
import {
  type Reference,
  type ReferenceItem,
  referenceIsInstalled,
  referenceOver,
} from '../support/reference-appview.ts'
import type { World } from '../support/social-world.ts'
import { writeRows } from '../support/world-rows.ts'

const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const SEEDS = Array.from({ length: Number(process.env['SEEDS'] ?? 4) }, (_, i) => FIRST_SEED + i)
const STEPS = 260

if (!referenceIsInstalled) {
  console.warn('SKIPPED: no reference to compare with; run npm ci in test/e2e')
}

type Both = { world: World; ours: HydratedWorld; reference: Reference; viewer: string | undefined }

/** What must turn up in the worlds' views, or they would prove little. */
const KINDS = [
  ...['images', 'gallery', 'video', 'external', 'record', 'recordWithMedia'].map(
    (kind) => `"$type":"app.bsky.embed.${kind}#view"`,
  ),
  ...['viewRecord', 'viewNotFound', 'viewBlocked', 'viewDetached'].map(
    (kind) => `"$type":"app.bsky.embed.record#${kind}"`,
  ),
  ...['postView', 'notFoundPost', 'blockedPost', 'reasonRepost'].map(
    (kind) => `"$type":"app.bsky.feed.defs#${kind}"`,
  ),
  '"$type":"app.bsky.graph.defs#listView"',
  ...['grandparentAuthor', 'threadgate', 'blockingByList', 'knownFollowers', 'following'].map(
    (field) => `"${field}":`,
  ),
  ...['muted', 'blockedBy', 'replyDisabled', 'embeddingDisabled'].flatMap((field) => [
    `"${field}":true`,
    `"${field}":false`,
  ]),
  ...['"embeds":[]', '"blocked":"at://', '"handle":"handle.invalid"', '"val":"porn"'],
]
const unseen = new Set(KINDS)

/** Both as they go over the wire. */
function expectSame(ours: unknown, theirs: unknown, where: string): void {
  const wire = overTheWire(ours)
  expect(wire, where).toEqual(overTheWire(theirs))
  const text = JSON.stringify(wire) ?? ''
  for (const kind of unseen) if (text.includes(kind)) unseen.delete(kind)
}

describe.skipIf(!referenceIsInstalled)('ours and the reference present the same', () => {
  const ways = { rows: writeRows, indexed: indexWorld }
  for (const [way, seed] of SEEDS.flatMap(
    (seed) =>
      [
        ['rows', seed],
        ['indexed', seed],
      ] as const,
  )) {
    test(`of the world with seed ${seed}, ${way}`, async () => {
      const random = createRandom(seed)
      const world = randomWorld(random, STEPS)
      const ours = hydrateWorld(world, ways[way])
      const reference = await referenceOver(world, ours.written.order)
      for (const viewer of [undefined, ...world.accounts.keys()]) {
        await comparesAlike({ world, ours, reference, viewer })
      }
      expect(ours.unusable).toEqual([])
      ours.close()
    })
  }

  test('and every kind of thing was among it', () => {
    expect([...unseen]).toEqual([])
  })
})

async function comparesAlike(both: Both): Promise<void> {
  await compareFeed(both)
  await comparePosts(both)
  await compareProfiles(both)
}

async function compareFeed({ world, ours, reference, viewer }: Both): Promise<void> {
  const items = itemsOf(world)
  const ids = items.map(({ post, repost }) =>
    repost ? repostItem(ours.written.repost(repost.uri)) : postItem(ours.written.post(post.uri)),
  )
  const state = ours.hydrator.feed(ids, ours.viewer(viewer))
  const theirs = await reference.hydrator.hydrateFeedItems(items, reference.context(viewer))
  for (const [i, item] of items.entries()) {
    const where = `${viewer} ${JSON.stringify(item)}`
    const view = feedViewPost(state, ids[i]!)
    expectSame(view, reference.views.feedViewPost(item, theirs), where)
    expect(feedItemRules(state, ids[i]!), where).toEqual(theirRules(reference, item, theirs))
  }
}

/** Scoped mutes are not kept here. */
function theirRules(reference: Reference, item: ReferenceItem, state: unknown) {
  const { originatorRepostMuted, authorQuotepostMuted, ...rules } =
    reference.views.feedItemBlocksAndMutes(item, state)
  return { ...rules, ...(originatorRepostMuted || authorQuotepostMuted ? { scoped: true } : {}) }
}

async function comparePosts({ world, ours, reference, viewer }: Both): Promise<void> {
  const uris = world.of('app.bsky.feed.post').map(({ uri }) => uri)
  const ids = uris.map((uri) => ours.written.post(uri))
  const state = ours.hydrator.posts(ids, ours.viewer(viewer))
  const refs = uris.map((uri) => ({ uri }))
  const theirs = await reference.hydrator.hydratePosts(refs, reference.context(viewer))
  for (const [i, uri] of uris.entries()) {
    const view = postView(state, ids[i]!)
    expectSame(view, reference.views.post(uri, theirs), `${viewer} ${uri}`)
  }
}

async function compareProfiles({ world, ours, reference, viewer }: Both): Promise<void> {
  const dids = [...world.accounts.keys()]
  const uids = dids.map((did) => ours.written.uid(did))
  const options = { detailed: true, knownFollowers: true }
  const state = ours.hydrator.profiles(uids, ours.viewer(viewer), options)
  const theirs = await reference.hydrator.hydrateProfilesDetailed(dids, reference.context(viewer))
  const { views } = reference
  for (const [i, did] of dids.entries()) {
    const where = `${viewer} ${did}`
    const uid = uids[i]!
    expectSame(profileViewDetailed(state, uid), views.profileDetailed(did, theirs), where)
    expectSame(profileView(state, uid), views.profile(did, theirs), where)
    expectSame(profileViewBasic(state, uid), views.profileBasic(did, theirs), where)
  }
}

/** Every post and every repost. */
function itemsOf(world: World): ReferenceItem[] {
  const posts = world.of('app.bsky.feed.post').map(({ uri }) => ({ post: { uri } }))
  const reposts = world.of('app.bsky.feed.repost').map(({ uri, value }) => ({
    post: { uri: (value['subject'] as { uri: string }).uri },
    repost: { uri },
  }))
  return [...posts, ...reposts]
}
