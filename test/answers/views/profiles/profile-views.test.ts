// How profiles are shown, case by case.

import { afterEach, describe, expect, test } from 'vitest'
import type { ProfileOptions } from '../../../../src/answers/hydrate/hydrator-types.ts'
import { createReader } from '../../../../src/answers/hydrate/reader.ts'
import { profileViewDetailed } from '../../../../src/answers/views/profiles/profile-view-detailed.ts'
import {
  profileView,
  profileViewBasic,
} from '../../../../src/answers/views/profiles/profile-views.ts'
import { relationship } from '../../../../src/answers/views/profiles/relationship.ts'
import { viewerBlocks } from '../../../../src/answers/views/rules.ts'
import { type HydratedWorld, hydrateWorld, overTheWire } from '../../../support/hydration.ts'
import { blob, blobCidOf, createWorld, type World } from '../../../support/social-world.ts'

let open: HydratedWorld | undefined
afterEach(() => {
  open?.close()
  open = undefined
})

/** biome-ignore lint/suspicious/noExplicitAny: JSON is looked into at will here. */
type Seen = any

function look(world: World, did: string, viewer?: string, options: ProfileOptions = {}) {
  open?.close()
  open = hydrateWorld(world)
  const uid = open.written.uid(did)
  const state = open.hydrator.profiles([uid], open.reader(viewer), options)
  return {
    basic: overTheWire(profileViewBasic(state, uid)) as Seen,
    view: overTheWire(profileView(state, uid)) as Seen,
    detailed: overTheWire(profileViewDetailed(state, uid)) as Seen,
    relationship: overTheWire(relationship(state, { uid, did })) as Seen,
    blocked: viewerBlocks(state, uid),
  }
}

const NOTHING = {
  muted: false,
  mutedOnlyReposts: false,
  mutedOnlyQuoteposts: false,
  blockedBy: false,
}
const SUBSCRIPTIONS = { activitySubscription: { allowSubscriptions: 'followers' } }

describe('a profile', () => {
  test('grows from basic to detailed', () => {
    const world = createWorld()
    const [ann, bob] = [world.account('ann'), world.account('bob')]
    world.profile(ann, {
      displayName: 'Ann',
      description: 'about Ann',
      pronouns: 'she',
      website: 'https://ann.test/',
      avatar: blob('face'),
      banner: blob('sky'),
    })
    world.follow(bob, ann)
    world.post(ann)
    world.list(ann)
    const { createdAt } = world.of('app.bsky.actor.profile')[0]!.value
    const basic = {
      did: ann,
      handle: 'ann.test',
      displayName: 'Ann',
      pronouns: 'she',
      avatar: `https://img.test/avatar/plain/${ann}/${blobCidOf('face')}`,
      associated: SUBSCRIPTIONS,
      labels: [],
      createdAt,
    }
    const seen = look(world, ann, undefined, { detailed: true })
    expect(seen.basic).toEqual(basic)
    expect(seen.view).toEqual({ ...basic, description: 'about Ann', indexedAt: createdAt })
    expect(seen.detailed).toEqual({
      ...seen.view,
      website: 'https://ann.test/',
      banner: `https://img.test/banner/plain/${ann}/${blobCidOf('sky')}`,
      followersCount: 1,
      followsCount: 0,
      postsCount: 1,
      associated: { lists: 1, feedgens: 0, starterPacks: 0, labeler: false, ...SUBSCRIPTIONS },
    })
  })

  test('without any record is minimal', () => {
    const world = createWorld()
    const ann = world.account('ann', { handle: undefined })
    expect(look(world, ann).basic).toEqual({
      did: ann,
      handle: 'handle.invalid',
      associated: SUBSCRIPTIONS,
      labels: [],
    })
  })

  test('shows self-labels, and drops a website without https and a bad pin', () => {
    const world = createWorld()
    const ann = world.account('ann')
    const values = [{ val: '!no-unauthenticated' }]
    const uri = world.profile(ann, {
      labels: { $type: 'com.atproto.label.defs#selfLabels', values },
      website: 'gopher://ann.test/',
      pinnedPost: { uri: 'at://nowhere', cid: 'none' },
      description: '',
    })
    const { cid, value } = world.records.get(uri)!
    const { detailed } = look(world, ann)
    const label = { src: ann, uri, cid, val: '!no-unauthenticated', cts: value['createdAt'] }
    expect(detailed.labels).toEqual([label])
    for (const field of ['website', 'pinnedPost', 'description'])
      expect(field in detailed).toBe(false)
  })

  test('of a hidden account is absent, of a desynchronized one is shown', () => {
    const world = createWorld()
    const ann = world.account('ann')
    for (const status of ['deactivated', 'suspended', 'takendown', 'deleted'] as const) {
      world.accounts.get(ann)!.status = status
      expect(look(world, ann).view).toBeUndefined()
    }
    for (const status of ['desynchronized', 'throttled'] as const) {
      world.accounts.get(ann)!.status = status
      expect(look(world, ann).view).toBeDefined()
    }
  })
})

describe('the viewer object', () => {
  test('is absent without a viewer, and empty for oneself and for a newcomer', () => {
    const world = createWorld()
    const [ann, bob] = [world.account('ann'), world.account('bob')]
    world.follow(ann, ann)
    world.block(ann, ann)
    world.mute(ann, ann)
    expect('viewer' in look(world, ann).basic).toBe(false)
    expect(look(world, ann, ann).basic.viewer).toEqual(NOTHING)
    open!.close()
    open = hydrateWorld(world)
    const uid = open.written.uid(bob)
    const newcomer = { uid: 0, did: 'did:plc:new' }
    const state = open.hydrator.profiles([uid], createReader(newcomer), { knownFollowers: true })
    expect(overTheWire(profileViewDetailed(state, uid))).toMatchObject({ viewer: NOTHING })
  })

  test('names follows in both directions, and a mute', () => {
    const world = createWorld()
    const [ann, bob] = [world.account('ann'), world.account('bob')]
    const following = world.follow(ann, bob)
    const followedBy = world.follow(bob, ann)
    world.mute(ann, bob)
    const seen = look(world, bob, ann)
    expect(seen.basic.viewer).toEqual({ ...NOTHING, muted: true, following, followedBy })
    expect(look(world, ann, bob).basic.viewer.muted).toBe(false)
  })

  test('with a block hides the follows, which the relationship still shows', () => {
    const world = createWorld()
    const [ann, bob] = [world.account('ann'), world.account('bob')]
    const following = world.follow(ann, bob)
    const blocking = world.block(ann, bob)
    const seen = look(world, bob, ann)
    expect(seen.basic.viewer).toEqual({ ...NOTHING, blocking })
    expect(seen.blocked).toBe(true)
    expect(seen.relationship).toMatchObject({ did: bob, following, blocking })
    expect(look(world, ann, bob).basic.viewer).toEqual({ ...NOTHING, blockedBy: true })
  })

  test('names the blocking list while it is in force', () => {
    const world = createWorld()
    const [ann, bob, cat] = ['ann', 'bob', 'cat'].map((name) => world.account(name)) as [
      string,
      string,
      string,
    ]
    const list = world.list(cat, { name: 'no' })
    world.listItem(list, bob)
    const listBlock = world.listBlock(ann, list)
    const { basic, relationship: reported } = look(world, bob, ann)
    expect(basic.viewer).toMatchObject({
      blocking: list,
      blockingByList: { uri: list, name: 'no', viewer: { muted: false, blocked: listBlock } },
    })
    expect(reported.blockingByList).toBe(list)
    expect(look(world, ann, bob).basic.viewer).toEqual({ ...NOTHING, blockedBy: true })
    world.accounts.get(cat)!.status = 'takendown'
    expect(look(world, bob, ann).basic.viewer).toEqual(NOTHING)
    world.accounts.get(cat)!.status = undefined
    world.remove(list)
    expect(look(world, bob, ann).basic.viewer).toEqual(NOTHING)
  })
})

describe('known followers', () => {
  function crowd(size: number) {
    const world = createWorld()
    const [ann, star] = [world.account('ann'), world.account('star')]
    const friends = Array.from({ length: size }, (_, i) => world.account(`friend${'abcdefgh'[i]}`))
    for (const friend of friends) {
      world.follow(ann, friend)
      world.follow(friend, star)
    }
    return { world, ann, star, friends }
  }
  const known = (world: World, subject: string, viewer?: string) => {
    const { viewer: seen } = look(world, subject, viewer, { knownFollowers: true }).detailed
    return seen?.knownFollowers
  }

  test('are all counted, and up to five shown, in a stable order', () => {
    const { world, ann, star, friends } = crowd(7)
    const { count, followers } = known(world, star, ann)
    expect(count).toBe(7)
    expect(followers.map(({ did }: Seen) => did)).toEqual(friends.slice(0, 5))
    expect(followers[0].viewer.following).toBeDefined()
  })

  test('are left out if there are none, and without a viewer', () => {
    const { world, ann, star, friends } = crowd(1)
    expect(known(world, friends[0]!, ann)).toBeUndefined()
    expect(known(world, star)).toBeUndefined()
  })

  test('are counted but not shown if blocked or hidden', () => {
    const { world, ann, star, friends } = crowd(4)
    world.block(ann, friends[0]!)
    world.block(star, friends[1]!)
    world.accounts.get(friends[2]!)!.status = 'deactivated'
    const { count, followers } = known(world, star, ann)
    expect(count).toBe(4)
    expect(followers.map(({ did }: Seen) => did)).toEqual([friends[3]])
  })
})
