// How a feed item shows its thread and the reason for its presence, case by case.

import { afterEach, describe, expect, test } from 'vitest'
import { feedViewPost } from '../../../../src/answers/views/posts/feed-view-post.ts'
import { postView } from '../../../../src/answers/views/posts/post-view.ts'
import { feedItemRules, isBlockedOrMuted } from '../../../../src/answers/views/rules.ts'
import { VIOLATES_THREADGATE } from '../../../../src/data/store/posts/post-flags.ts'
import { postItem, repostItem } from '../../../../src/data/store/timelines/item-ids.ts'
import { type HydratedWorld, hydrateWorld, overTheWire } from '../../../support/hydration.ts'
import { createWorld, type World } from '../../../support/social-world.ts'

let open: HydratedWorld | undefined
afterEach(() => {
  open?.close()
  open = undefined
})

const POST_VIEW = 'app.bsky.feed.defs#postView'
const BLOCKED = 'app.bsky.feed.defs#blockedPost'
const NOT_FOUND = 'app.bsky.feed.defs#notFoundPost'

function setTheStage() {
  const world = createWorld()
  const [ann, bob, cat, dan] = ['ann', 'bob', 'cat', 'dan'].map((name) => world.account(name)) as [
    string,
    string,
    string,
    string,
  ]
  return { world, ann, bob, cat, dan }
}

function hydrated(world: World): HydratedWorld {
  open?.close()
  open = hydrateWorld(world)
  return open
}

/** The item of this post or repost as the viewer sees it. */
function itemView(world: World, uri: string, viewer?: string) {
  const { written, hydrator, reader } = hydrated(world)
  const isRepost = uri.includes('/app.bsky.feed.repost/')
  const item = isRepost ? repostItem(written.repost(uri)) : postItem(written.post(uri))
  const state = hydrator.feed([item], reader(viewer))
  const view = overTheWire(feedViewPost(state, item)) as
    | { post: Seen; reason?: Seen; reply?: { root: Seen; parent: Seen; grandparentAuthor?: Seen } }
    | undefined
  return { view, removed: isBlockedOrMuted(feedItemRules(state, item)) }
}

function onePost(world: World, uri: string, viewer?: string): Seen {
  const { written, hydrator, reader } = hydrated(world)
  const state = hydrator.posts([written.post(uri)], reader(viewer))
  return overTheWire(postView(state, written.post(uri))) as Seen
}

/** biome-ignore lint/suspicious/noExplicitAny: JSON is looked into at will here. */
type Seen = any

describe('a reply', () => {
  function thread() {
    const stage = setTheStage()
    const { world, ann, bob, cat } = stage
    const root = world.post(ann)
    const parent = world.reply(bob, { root, parent: root })
    const reply = world.reply(cat, { root, parent })
    return { ...stage, root, parent, reply }
  }

  test('shows its root, its parent and the author above the parent', () => {
    const { world, root, parent, reply, ann, dan } = thread()
    const { view, removed } = itemView(world, reply, dan)
    expect(view!.reply).toMatchObject({
      root: { $type: POST_VIEW, uri: root },
      parent: { $type: POST_VIEW, uri: parent },
      grandparentAuthor: { did: ann },
    })
    expect(removed).toBe(false)
  })

  test('names deleted posts, and keeps the rest', () => {
    const { world, root, parent, reply } = thread()
    world.remove(root)
    const { view } = itemView(world, reply)
    expect(view!.reply!.root).toEqual({ $type: NOT_FOUND, uri: root, notFound: true })
    expect(view!.reply!.parent).toMatchObject({ $type: POST_VIEW, uri: parent })
    // The author of the deleted root is still known.
    expect(view!.reply!.grandparentAuthor).toBeDefined()
  })

  test('shows no parent if the parent’s author is hidden', () => {
    const { world, bob, reply } = thread()
    world.accounts.get(bob)!.status = 'deactivated'
    const { view } = itemView(world, reply)
    expect(view!.reply!.parent.$type).toBe(NOT_FOUND)
    expect(view!.reply!.grandparentAuthor).toBeUndefined()
  })

  test('is removed if the viewer and the parent’s author block each other', () => {
    for (const turned of [false, true]) {
      const { world, bob, dan, reply, parent } = thread()
      const block = turned ? world.block(bob, dan) : world.block(dan, bob)
      const { view, removed } = itemView(world, reply, dan)
      expect(removed).toBe(true)
      expect(view!.reply!.parent).toEqual({
        $type: BLOCKED,
        uri: parent,
        blocked: true,
        author: {
          did: bob,
          viewer: turned ? { blockedBy: true } : { blockedBy: false, blocking: block },
        },
      })
    }
  })

  test('is removed if the viewer blocks the author two above', () => {
    const { world, ann, dan, reply } = thread()
    world.block(dan, ann)
    expect(itemView(world, reply, dan).removed).toBe(true)
  })

  test('hides its parent from everyone if the two authors block each other', () => {
    const { world, bob, cat, reply, root } = thread()
    world.block(bob, cat)
    const { view, removed } = itemView(world, reply)
    expect(view!.reply!.parent).toMatchObject({ $type: BLOCKED, author: { did: bob } })
    expect(view!.reply!.parent.author.viewer).toBeUndefined()
    expect(view!.reply!.root).toMatchObject({ $type: POST_VIEW, uri: root })
    expect(removed).toBe(false)
  })

  test('hides its root if the parent’s author and the root’s block each other', () => {
    const { world, ann, bob, reply } = thread()
    world.block(ann, bob)
    const { view } = itemView(world, reply)
    expect(view!.reply!.root.$type).toBe(BLOCKED)
    expect(view!.reply!.parent.$type).toBe(POST_VIEW)
  })

  test('hides its parent if a moderation list blocks, but not for any other list', () => {
    for (const purpose of ['modlist', 'curatelist']) {
      const { world, bob, cat, dan, reply } = thread()
      const list = world.list(dan, { purpose: `app.bsky.graph.defs#${purpose}` })
      world.listItem(list, cat)
      world.listBlock(bob, list)
      const { view } = itemView(world, reply)
      expect(view!.reply!.parent.$type).toBe(purpose === 'modlist' ? BLOCKED : POST_VIEW)
    }
  })

  test('stands alone if it breaks the threadgate', () => {
    const { world, reply, dan } = thread()
    world.flags.set(reply, VIOLATES_THREADGATE)
    const { view } = itemView(world, reply, dan)
    expect(view!.reply).toBeUndefined()
    expect(view!.post.viewer.replyDisabled).toBe(true)
  })

  test('to a record that is not a post has nothing above it', () => {
    const { world, cat } = setTheStage()
    const uri = 'at://handle.test/app.bsky.feed.post/3kabc'
    const { view } = itemView(world, world.reply(cat, { root: uri, parent: uri }))
    const notFound = { $type: NOT_FOUND, uri, notFound: true }
    expect(view!.reply).toEqual({ root: notFound, parent: notFound })
  })
})

describe('a repost', () => {
  test('shows the reposter and the time', () => {
    const { world, ann, bob, cat } = setTheStage()
    const post = world.post(ann)
    const repost = world.repost(bob, post)
    const { view } = itemView(world, repost, cat)
    const made = world.records.get(repost)!
    expect(view!.post.uri).toBe(post)
    expect(view!.reason).toMatchObject({
      $type: 'app.bsky.feed.defs#reasonRepost',
      by: { did: bob },
      uri: repost,
      cid: made.cid,
      indexedAt: made.value['createdAt'],
    })
  })

  test('is dropped without its post, its author or its reposter', () => {
    const spoilers = [
      (world: World, post: string) => world.remove(post),
      (world: World) => world.account('ann', { status: 'takendown' }),
      (world: World) => world.account('bob', { status: 'suspended' }),
    ]
    for (const spoil of spoilers) {
      const { world, ann, bob } = setTheStage()
      const post = world.post(ann)
      const repost = world.repost(bob, post)
      spoil(world, post)
      expect(itemView(world, repost).view).toBeUndefined()
    }
  })

  test('is removed if the reposter or the author is muted or blocked', () => {
    const acts = [
      (world: World, viewer: string, other: string) => world.mute(viewer, other),
      (world: World, viewer: string, other: string) => void world.block(viewer, other),
      (world: World, viewer: string, other: string) => void world.block(other, viewer),
    ]
    for (const act of acts) {
      for (const who of ['ann', 'bob'] as const) {
        const stage = setTheStage()
        const repost = stage.world.repost(stage.bob, stage.world.post(stage.ann))
        expect(itemView(stage.world, repost, stage.cat).removed).toBe(false)
        act(stage.world, stage.cat, stage[who])
        expect(itemView(stage.world, repost, stage.cat).removed).toBe(true)
      }
    }
  })
})

describe('a gate', () => {
  const rule = (name: string) => ({ $type: `app.bsky.feed.threadgate#${name}` })

  test('shows which accounts may reply', () => {
    const { world, ann, bob, cat, dan } = setTheStage()
    const mention = { $type: 'app.bsky.richtext.facet#mention', did: bob }
    const facets = [{ index: { byteStart: 0, byteEnd: 1 }, features: [mention] }]
    const post = world.post(ann, { facets })
    const list = world.list(dan, { purpose: 'app.bsky.graph.defs#curatelist' })
    world.listItem(list, dan)
    world.follow(cat, ann)
    const answers = (allow: unknown[] | undefined) => {
      world.threadgate(post, allow ? { allow } : {})
      return [ann, bob, cat, dan].map((did) => onePost(world, post, did).viewer.replyDisabled)
    }
    expect(answers(undefined)).toEqual([false, false, false, false])
    expect(answers([])).toEqual([false, true, true, true])
    expect(answers([rule('mentionRule')])).toEqual([false, false, true, true])
    expect(answers([rule('followerRule')])).toEqual([false, true, false, true])
    expect(answers([rule('followingRule')])).toEqual([false, true, true, true])
    expect(answers([{ ...rule('listRule'), list }])).toEqual([false, true, true, false])
    world.follow(ann, bob)
    expect(answers([rule('followingRule')])).toEqual([false, false, true, true])
  })

  test('appears on the root, with its lists, and governs the replies', () => {
    const { world, ann, bob, cat } = setTheStage()
    const root = world.post(ann)
    const reply = world.reply(bob, { root, parent: root })
    const list = world.list(bob, { name: 'friends' })
    const gate = world.threadgate(root, { allow: [{ ...rule('listRule'), list }] })
    expect(onePost(world, root).threadgate).toMatchObject({
      uri: gate,
      record: { post: root },
      lists: [{ uri: list, name: 'friends', listItemCount: 0 }],
    })
    expect(onePost(world, reply).threadgate).toBeUndefined()
    expect(onePost(world, reply, cat).viewer.replyDisabled).toBe(true)
  })

  test('of a post shows which accounts may embed it', () => {
    const { world, ann, bob } = setTheStage()
    const post = world.post(ann)
    world.postgate(post, { embeddingRules: [{ $type: 'app.bsky.feed.postgate#disableRule' }] })
    expect(onePost(world, post, bob).viewer.embeddingDisabled).toBe(true)
    expect(onePost(world, post, ann).viewer.embeddingDisabled).toBe(false)
  })
})

test('a post shows the viewer’s own acts on it, and no one else’s', () => {
  const { world, ann, bob, cat } = setTheStage()
  const post = world.post(ann)
  const [like, repost] = [world.like(bob, post), world.repost(bob, post)]
  world.profile(ann, { pinnedPost: world.ref(post) })
  const none = { bookmarked: false, threadMuted: false, embeddingDisabled: false }
  expect(onePost(world, post, bob).viewer).toEqual({ ...none, like, repost })
  expect(onePost(world, post, cat).viewer).toEqual(none)
  expect(onePost(world, post, ann).viewer).toEqual({ ...none, pinned: true })
  expect(onePost(world, post).viewer).toBeUndefined()
  expect(onePost(world, post)).toMatchObject({ likeCount: 1, repostCount: 1, bookmarkCount: 0 })
})
