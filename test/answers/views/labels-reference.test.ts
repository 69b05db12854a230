// Random worlds with random labels, presented by the reference AppView's code and by ours, for requests with
// random sets of labelers: the JSON is equal, and the same records are hidden.

import { describe, expect, test } from 'vitest'
import { feedViewPost } from '../../../src/answers/views/posts/feed-view-post.ts'
import { postView } from '../../../src/answers/views/posts/post-view.ts'
import { profileViewDetailed } from '../../../src/answers/views/profiles/profile-view-detailed.ts'
import { profileView } from '../../../src/answers/views/profiles/profile-views.ts'
import { feedItemRules } from '../../../src/answers/views/rules.ts'
import type { Labelers } from '../../../src/base/atproto/labelers.ts'
import { putLabel } from '../../../src/data/store/moderation/labels.ts'
import { postItem, repostItem } from '../../../src/data/store/timelines/item-ids.ts'
import { transact } from '../../../src/data/store/transact.ts'
import { labelSubject } from '../../../src/ingest/indexing/moderation/label.ts'
import { expectSameOnTheWire, type HydratedWorld, hydrateWorld } from '../../support/hydration.ts'
import { isMoreThanOurs } from '../../support/members-only.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { randomWorld } from '../../support/random-world.ts'
import {
  type Reference,
  type ReferenceItem,
  type ReferenceLabel,
  referenceIsInstalled,
  referenceOver,
} from '../../support/reference-appview.ts'
import type { World } from '../../support/social-world.ts'

const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const SEEDS = Array.from({ length: Number(process.env['SEEDS'] ?? 3) }, (_, i) => FIRST_SEED + i)
const STEPS = 260
const LIST = 'app.bsky.graph.list'
const VALUES = ['!takedown', '!suspend', '!hide', '!warn', 'rude', 'needs-review', 'impersonation']

if (!referenceIsInstalled) {
  console.warn('SKIPPED: no reference to compare with; run npm ci in test/e2e')
}

type Both = {
  world: World
  ours: HydratedWorld
  reference: Reference
  viewer: string | undefined
  labelers: Labelers
}

/**
 * Labels on everything that can be labelled, by the first accounts of the world. Lists used for
 * blocking are not taken down: in the reference they then no longer block between other accounts
 * either, while ours stop blocking for the viewer only.
 */
function randomLabels(world: World, random: Random, sources: string[]): ReferenceLabel[] {
  const subjects = [
    ...world.accounts.keys(),
    ...['app.bsky.feed.post', 'app.bsky.actor.profile', LIST].flatMap((value) =>
      world.of(value).map(({ uri }) => uri),
    ),
  ]
  const blocking = world.of('app.bsky.graph.listblock').map(({ value }) => value['subject'])
  const staying = new Set<unknown>(blocking)
  const labels = new Map<string, ReferenceLabel>()
  for (let n = 0; n < subjects.length / 2; n++) {
    const uri = random.pick(subjects)
    const val = random.pick(staying.has(uri) ? VALUES.slice(2) : VALUES)
    const label = { src: random.pick(sources), uri, val }
    // Increasing, because both implementations return labels in this order.
    const cts = new Date(Date.UTC(2026, 0, 1) + n).toISOString()
    const key = Object.values(label).join(' ')
    if (!labels.has(key)) {
      labels.set(key, { ...label, cts, ...(random.chance(0.2) && { neg: true }) })
    }
  }
  return [...labels.values()]
}

function store({ writer, written }: HydratedWorld, labels: ReferenceLabel[]): void {
  transact(writer, () => {
    for (const { src, uri, val, cts, neg = false } of labels) {
      const subject = labelSubject(written, uri)
      if (!subject) continue
      const label = {
        ...subject,
        src: written.uid(src),
        val,
        cts,
        cid: undefined,
        exp: undefined,
        isStreamed: true,
      }
      putLabel(writer, { ...label, neg: false })
      if (neg) putLabel(writer, { ...label, neg })
    }
  })
}

function randomLabelers(random: Random, sources: string[]): Labelers {
  const dids = sources.filter(() => random.chance(0.7))
  return { dids, redact: new Set(dids.filter(() => random.chance(0.6))) }
}

function expectSame(ours: unknown, theirs: unknown, where: string): void {
  const wire = expectSameOnTheWire(ours, theirs, where)
  const text = JSON.stringify(wire) ?? 'nothing'
  for (const kind of unseen) if (text.includes(kind)) unseen.delete(kind)
}

/** Cases that must occur, or the test proves little. */
const unseen = new Set([
  ...VALUES.map((val) => `"val":"${val}"`),
  ...['nothing', '#notFoundPost', '#viewNotFound'],
])

describe.skipIf(!referenceIsInstalled)('ours and the reference show the same labels', () => {
  test.each(SEEDS)('of the world with seed %i', async (seed) => {
    const random = createRandom(seed)
    const world = randomWorld(random, STEPS)
    const ours = hydrateWorld(world)
    const sources = [...world.accounts.keys()].slice(0, 3)
    const labels = randomLabels(world, random, sources)
    store(ours, labels)
    const reference = await referenceOver(world, ours.written.order, labels)
    for (const viewer of [undefined, ...world.accounts.keys()]) {
      const labelers = randomLabelers(random, sources)
      await compare({ world, ours, reference, viewer, labelers })
    }
    ours.close()
  })
})

test.skipIf(!referenceIsInstalled)('and every kind of label occurred', () => {
  expect([...unseen]).toEqual([])
})

async function compare(both: Both): Promise<void> {
  await compareFeed(both)
  await comparePosts(both)
  await compareProfiles(both)
}

async function compareFeed({ world, ours, reference, viewer, labelers }: Both): Promise<void> {
  const items = itemsOf(world)
  const ids = items.map(({ post, repost }) =>
    repost ? repostItem(ours.written.repost(repost.uri)) : postItem(ours.written.post(post.uri)),
  )
  const state = ours.hydrator.feed(ids, { ...ours.reader(viewer), labelers })
  const context = reference.context(viewer, labelers)
  const theirs = await reference.hydrator.hydrateFeedItems(items, context)
  for (const [i, item] of items.entries()) {
    const where = `${viewer} ${JSON.stringify(item)}`
    const view = feedViewPost(state, ids[i]!)
    const expected = reference.views.feedViewPost(item, theirs)
    if (!isMoreThanOurs(expected, viewer)) expectSame(view, expected, where)
    if (!view) continue
    expect(feedItemRules(state, ids[i]!), where).toMatchObject(
      reference.views.feedItemBlocksAndMutes(item, theirs),
    )
  }
}

async function comparePosts({ world, ours, reference, viewer, labelers }: Both): Promise<void> {
  const uris = world.of('app.bsky.feed.post').map(({ uri }) => uri)
  const ids = uris.map((uri) => ours.written.post(uri))
  const state = ours.hydrator.posts(ids, { ...ours.reader(viewer), labelers })
  const refs = uris.map((uri) => ({ uri }))
  const context = reference.context(viewer, labelers)
  const theirs = await reference.hydrator.hydratePosts(refs, context)
  for (const [i, uri] of uris.entries()) {
    const expected = reference.views.post(uri, theirs)
    if (isMoreThanOurs(expected, viewer)) continue
    expectSame(postView(state, ids[i]!), expected, `${viewer} ${uri}`)
  }
}

async function compareProfiles({ world, ours, reference, viewer, labelers }: Both): Promise<void> {
  const dids = [...world.accounts.keys()]
  const uids = dids.map((did) => ours.written.uid(did))
  const options = { detailed: true, knownFollowers: true }
  const reader = { ...ours.reader(viewer), labelers }
  const state = ours.hydrator.profiles(uids, reader, options)
  const context = reference.context(viewer, labelers)
  const theirs = await reference.hydrator.hydrateProfilesDetailed(dids, context)
  for (const [i, did] of dids.entries()) {
    const where = `${viewer} ${did}`
    expectSame(
      profileViewDetailed(state, uids[i]!),
      reference.views.profileDetailed(did, theirs),
      where,
    )
    expectSame(profileView(state, uids[i]!), reference.views.profile(did, theirs), where)
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
