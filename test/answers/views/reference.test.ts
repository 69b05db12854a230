// Random worlds, presented by the reference AppView's code and by ours: the JSON is equal.

import { describe, expect, test } from 'vitest'
import { generatorView } from '../../../src/answers/views/generator-view.ts'
import { labelerUri, labelerViewDetailed } from '../../../src/answers/views/labeler-view.ts'
import { feedViewPost } from '../../../src/answers/views/posts/feed-view-post.ts'
import { postView } from '../../../src/answers/views/posts/post-view.ts'
import { profileViewDetailed } from '../../../src/answers/views/profiles/profile-view-detailed.ts'
import { profileView, profileViewBasic } from '../../../src/answers/views/profiles/profile-views.ts'
import { feedItemRules } from '../../../src/answers/views/rules.ts'
import { starterPackView } from '../../../src/answers/views/starter-pack-view.ts'
import { postItem, repostItem } from '../../../src/data/store/timelines/item-ids.ts'
import { expectSameOnTheWire, type HydratedWorld, hydrateWorld } from '../../support/hydration.ts'
import { indexWorld } from '../../support/indexed-world.ts'
import { isMoreThanOurs } from '../../support/members-only.ts'
import { createRandom } from '../../support/random.ts'
import { randomWorld } from '../../support/random-world.ts'
import {
  type Reference,
  type ReferenceItem,
  referenceIsInstalled,
  referenceOver,
} from '../../support/reference-appview.ts'
import type { World } from '../../support/social-world.ts'
import { writeRows } from '../../support/world-rows.ts'

const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const SEEDS = Array.from({ length: Number(process.env['SEEDS'] ?? 5) }, (_, i) => FIRST_SEED + i)
const STEPS = 260

if (!referenceIsInstalled) {
  console.warn('SKIPPED: no reference to compare with; run npm ci in test/e2e')
}

type Both = { world: World; ours: HydratedWorld; reference: Reference; viewer: string | undefined }

/** Cases that must occur in the worlds' views, or the test proves little. */
const BOTH_WAYS = [
  ...['muted', 'mutedOnlyReposts', 'mutedOnlyQuoteposts', 'blockedBy', 'replyDisabled'],
  ...['embeddingDisabled', 'bookmarked'],
]
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
  '"$type":"app.bsky.feed.defs#generatorView"',
  '"$type":"app.bsky.graph.defs#starterPackViewBasic"',
  '"$type":"app.bsky.labeler.defs#labelerView"',
  ...['verification', 'status', 'chat', 'germ', 'labeler'].map((field) => `"${field}":`),
  ...['valid', 'invalid'].map((status) => `"verifiedStatus":"${status}"`),
  '"allowSubscriptions":"mutuals"',
  '"listItemsSample":[{',
  ...['grandparentAuthor', 'threadgate', 'blockingByList', 'mutedByList', 'knownFollowers'].map(
    (field) => `"${field}":`,
  ),
  ...BOTH_WAYS.flatMap((field) => [`"${field}":true`, `"${field}":false`]),
  ...[
    '"embeds":[]',
    '"following":',
    '"bookmarkCount":1',
    '"blocked":"at://',
    '"handle":"handle.invalid"',
    '"val":"porn"',
  ],
]
const unseen = new Set(KINDS)

/** Compares both as serialised. */
function expectSame(ours: unknown, theirs: unknown, where: string): void {
  const wire = expectSameOnTheWire(ours, theirs, where)
  if (unseen.size === 0) return
  const text = JSON.stringify(wire) ?? ''
  for (const kind of unseen) if (text.includes(kind)) unseen.delete(kind)
}

describe.skipIf(!referenceIsInstalled)('our views equal the reference’s', () => {
  const ways = { rows: writeRows, indexed: indexWorld }
  for (const [way, seed] of SEEDS.flatMap(
    (seed) =>
      [
        ['rows', seed],
        ['indexed', seed],
      ] as const,
  )) {
    test(`in the world with seed ${seed}, ${way}`, async () => {
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

  test('and every kind of case occurred', () => {
    expect([...unseen]).toEqual([])
  })
})

async function comparesAlike(both: Both): Promise<void> {
  await compareFeed(both)
  await comparePosts(both)
  await compareProfiles(both)
  await compareRecords(both)
}

async function compareFeed({ world, ours, reference, viewer }: Both): Promise<void> {
  const items = itemsOf(world)
  const ids = items.map(({ post, repost }) =>
    repost ? repostItem(ours.written.repost(repost.uri)) : postItem(ours.written.post(post.uri)),
  )
  const state = ours.hydrator.feed(ids, ours.reader(viewer))
  const theirs = await reference.hydrator.hydrateFeedItems(items, reference.context(viewer))
  for (const [i, item] of items.entries()) {
    const where = `${viewer} ${JSON.stringify(item)}`
    const view = feedViewPost(state, ids[i]!)
    const expected = reference.views.feedViewPost(item, theirs)
    if (!isMoreThanOurs(expected, viewer)) expectSame(view, expected, where)
    expect(feedItemRules(state, ids[i]!), where).toEqual(
      reference.views.feedItemBlocksAndMutes(item, theirs),
    )
  }
}

async function comparePosts({ world, ours, reference, viewer }: Both): Promise<void> {
  const uris = world.of('app.bsky.feed.post').map(({ uri }) => uri)
  const ids = uris.map((uri) => ours.written.post(uri))
  const state = ours.hydrator.posts(ids, ours.reader(viewer))
  const refs = uris.map((uri) => ({ uri }))
  const theirs = await reference.hydrator.hydratePosts(refs, reference.context(viewer))
  for (const [i, uri] of uris.entries()) {
    const view = postView(state, ids[i]!)
    const expected = reference.views.post(uri, theirs)
    if (!isMoreThanOurs(expected, viewer)) expectSame(view, expected, `${viewer} ${uri}`)
  }
}

async function compareProfiles({ world, ours, reference, viewer }: Both): Promise<void> {
  const dids = [...world.accounts.keys()]
  const uids = dids.map((did) => ours.written.uid(did))
  const options = { detailed: true, knownFollowers: true }
  const state = ours.hydrator.profiles(uids, ours.reader(viewer), options)
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

/** Feeds, starter packs with their members, and labelers. */
async function compareRecords({ world, ours, reference, viewer }: Both): Promise<void> {
  const urisOf = (collection: string) => world.of(collection).map(({ uri }) => uri)
  const [feeds, packs] = [urisOf('app.bsky.feed.generator'), urisOf('app.bsky.graph.starterpack')]
  const labelers = world.of('app.bsky.labeler.service').map(({ did }) => did)
  const context = reference.context(viewer)
  const { hydrator, views } = reference
  const theirFeeds = await hydrator.hydrateFeedGens(feeds, context)
  const theirPacks = await hydrator.hydrateStarterPacks(packs, context)
  const theirLabelers = await hydrator.hydrateLabelers(labelers, context)
  const load = (uris: string[]) =>
    ours.hydrator.records(uris, ours.reader(viewer), { content: true })
  const [feedState, packState] = [load(feeds), load(packs)]
  const labelerState = load(labelers.map(labelerUri))
  for (const uri of feeds) {
    expectSame(generatorView(feedState, uri), views.feedGenerator(uri, theirFeeds), uri)
  }
  for (const uri of packs) {
    expectSame(starterPackView(packState, uri), views.starterPack(uri, theirPacks), uri)
  }
  for (const did of labelers) {
    const view = labelerViewDetailed(labelerState, labelerUri(did))
    expectSame(view, views.labelerDetailed(did, theirLabelers), did)
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
