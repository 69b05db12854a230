// Reply and quote rules, as the reference data plane computes them at indexing, and their effect on counts.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/base/util/json-object.ts'
import {
  HAS_MEDIA,
  HAS_POSTGATE,
  HAS_THREADGATE,
  HAS_VIDEO,
  INVALID_REPLY_ROOT,
  VIOLATES_POSTGATE,
  VIOLATES_THREADGATE,
} from '../../../src/data/store/posts/post-flags.ts'
import { blobOf, cidOf } from '../../support/records.ts'
import { postOf } from '../../support/rows.ts'
import { createWorld, type RecordId, type World } from '../../support/world.ts'

let world: World
let owner: string
let replier: string

beforeEach(() => {
  world = createWorld({ scope: 'network' })
  owner = world.account('owner')
  replier = world.account('replier')
})
afterEach(() => world.dispose())

const rule = (name: string, more: JsonObject = {}) => ({
  $type: `app.bsky.feed.threadgate#${name}`,
  ...more,
})

function flagsOf(post: RecordId, mask: number): number {
  return postOf(world, post)!.flags & mask
}

describe('the root that a reply names', () => {
  it('is valid in replies to the root and to its replies', () => {
    const root = world.post(owner)
    const reply = world.post(replier, { reply: { parent: root } })
    const nested = world.post(owner, { reply: { parent: reply, root } })
    for (const post of [root, reply, nested]) expect(flagsOf(post, INVALID_REPLY_ROOT)).toBe(0)
  })

  it('is invalid if the parent belongs to another thread, and in all replies below', () => {
    const [root, other] = [world.post(owner), world.post(owner)]
    const stray = world.post(replier, { reply: { parent: other, root } })
    const below = world.post(owner, { reply: { parent: stray, root } })
    const reply = world.post(replier, { reply: { parent: root } })
    const asRoot = world.post(replier, { reply: { parent: reply } })
    for (const post of [stray, below, asRoot]) {
      expect(flagsOf(post, INVALID_REPLY_ROOT)).toBe(INVALID_REPLY_ROOT)
    }
  })

  it('is checked again, down the thread, when a parent arrives late', () => {
    const root = world.post(owner)
    let parent: RecordId | undefined
    const late = world.hold(() => {
      parent = world.post(replier, { reply: { parent: root } })
    })
    const child = world.post(owner, { reply: { parent: parent!, root } })
    const grandchild = world.post(replier, { reply: { parent: child, root } })
    expect(flagsOf(grandchild, INVALID_REPLY_ROOT)).toBe(INVALID_REPLY_ROOT)
    world.apply(late)
    expect(flagsOf(child, INVALID_REPLY_ROOT)).toBe(0)
    expect(flagsOf(grandchild, INVALID_REPLY_ROOT)).toBe(0)
    expect(postOf(world, parent!)).toMatchObject({ replies: 1 })
  })

  it('is invalid if it cannot lead to a post', () => {
    const feed = { uri: `at://${owner}/app.bsky.feed.generator/self`, cid: cidOf('feed') }
    const post = world.post(replier, { reply: { parent: feed } })
    expect(flagsOf(post, INVALID_REPLY_ROOT)).toBe(INVALID_REPLY_ROOT)
  })
})

describe('a threadgate', () => {
  function answer(root: RecordId, did = replier): number {
    return flagsOf(world.post(did, { reply: { parent: root } }), VIOLATES_THREADGATE)
  }

  it('without a rule list admits everyone, with an empty one only the owner', () => {
    const [open, closed] = [world.post(owner), world.post(owner)]
    world.threadgate(open)
    world.threadgate(closed, [])
    expect(flagsOf(closed, HAS_THREADGATE)).toBe(HAS_THREADGATE)
    expect(answer(open)).toBe(0)
    expect(answer(closed)).toBe(VIOLATES_THREADGATE)
    expect(answer(closed, owner)).toBe(0)
    expect(postOf(world, closed)?.replies).toBe(1)
  })

  it('admits followed, following, listed and mentioned accounts', () => {
    const list = world.list(owner, 'friends')
    const facets = (did: string) => [
      {
        index: { byteStart: 0, byteEnd: 1 },
        features: [{ $type: 'app.bsky.richtext.facet#mention', did }],
      },
    ]
    const cases: [string, JsonObject, (friend: string) => void][] = [
      ['followed', rule('followingRule'), (friend) => void world.follow(owner, friend)],
      ['follower', rule('followerRule'), (friend) => void world.follow(friend, owner)],
      [
        'listed',
        rule('listRule', { list: list.uri }),
        (value) => void world.listItem(owner, list, value),
      ],
    ]
    for (const [name, allow, befriend] of cases) {
      const friend = world.account(name)
      befriend(friend)
      const root = world.post(owner)
      world.threadgate(root, [allow])
      expect([name, answer(root, friend)]).toEqual([name, 0])
      expect([name, answer(root)]).toEqual([name, VIOLATES_THREADGATE])
    }
    const root = world.post(owner, { facets: facets(world.account('named')) })
    world.threadgate(root, [rule('mentionRule')])
    expect(answer(root, world.account('named'))).toBe(0)
    expect(answer(root)).toBe(VIOLATES_THREADGATE)
  })

  it('does not affect earlier replies, nor those after its deletion', () => {
    const root = world.post(owner)
    const before = world.post(replier, { reply: { parent: root } })
    const gate = world.threadgate(root, [])
    const during = world.post(replier, { reply: { parent: root } })
    world.delete(gate)
    const after = world.post(replier, { reply: { parent: root } })
    expect([before, during, after].map((post) => flagsOf(post, VIOLATES_THREADGATE))).toEqual([
      0,
      VIOLATES_THREADGATE,
      0,
    ])
    expect(postOf(world, root)?.replies).toBe(2)
    world.delete(during)
    expect(postOf(world, root)?.replies).toBe(2)
    world.delete(after)
    expect(postOf(world, root)?.replies).toBe(1)
    expect(flagsOf(root, HAS_THREADGATE)).toBe(0)
  })

  it('counts only with the key of its post', () => {
    const root = world.post(owner)
    world.create(
      replier,
      'app.bsky.feed.threadgate',
      { post: root.uri, allow: [] },
      root.uri.split('/').at(-1),
    )
    world.create(owner, 'app.bsky.feed.threadgate', { post: root.uri, allow: [] })
    expect(answer(root)).toBe(0)
  })
})

describe('a postgate', () => {
  it('marks later quotes by others', () => {
    const post = world.post(owner)
    const before = world.post(replier, { quote: post })
    world.postgate(post, { embeddingRules: [{ $type: 'app.bsky.feed.postgate#disableRule' }] })
    const after = world.post(replier, { quote: post })
    const own = world.post(owner, { quote: post })
    const flags = [before, after, own].map((record) => flagsOf(record, VIOLATES_POSTGATE))
    expect(flags).toEqual([0, VIOLATES_POSTGATE, 0])
    expect(postOf(world, post)).toMatchObject({ quotes: 3 })
    expect(flagsOf(post, HAS_POSTGATE)).toBe(HAS_POSTGATE)
  })
})

describe('an embed', () => {
  const images = {
    $type: 'app.bsky.embed.images',
    images: [{ image: blobOf('picture'), alt: '' }],
  }
  const video = { $type: 'app.bsky.embed.video', video: blobOf('film', 'video/mp4') }

  it('tells whether there is media, and a quote with it', () => {
    const quoted = world.post(owner)
    const withMedia = (media: JsonObject) => ({
      $type: 'app.bsky.embed.recordWithMedia',
      record: { $type: 'app.bsky.embed.record', record: quoted },
      media,
    })
    const media = HAS_MEDIA | HAS_VIDEO
    expect(flagsOf(world.post(owner, { embed: images }), media)).toBe(HAS_MEDIA)
    expect(flagsOf(world.post(owner, { embed: video }), media)).toBe(media)
    expect(flagsOf(world.post(owner, { embed: withMedia(video) }), media)).toBe(media)
    expect(flagsOf(world.post(owner, { quote: quoted }), media)).toBe(0)
    expect(postOf(world, quoted)?.quotes).toBe(2)
  })
})
