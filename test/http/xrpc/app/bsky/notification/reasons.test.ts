// Which events notify which members, and what removes a notification again.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { notificationsOf, notified } from '../../../../../support/notifications.ts'
import { didOf } from '../../../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../../../support/serving-world.ts'
import type { RecordId } from '../../../../../support/world.ts'

const [alice, bob, carla, dan] = ['alice', 'bob', 'carla', 'dan'].map(didOf) as [
  string,
  string,
  string,
  string,
]

let w: ServingWorld
beforeEach(() => {
  w = createServingWorld({ scope: 'community', members: ['alice', 'bob'] })
  for (const did of [alice, bob, carla, dan]) w.profile(did, { displayName: did.slice(-4) })
})
afterEach(() => w.dispose())

const mention = (did: string) => [
  {
    index: { byteStart: 0, byteEnd: 1 },
    features: [{ $type: 'app.bsky.richtext.facet#mention', did }],
  },
]

const via = (subject: RecordId, repost: RecordId) => ({ subject, via: repost })

describe('a member is notified', () => {
  test('of likes, reposts and follows, with the original records', async () => {
    const post = w.post(alice)
    const like = w.like(carla, post)
    const repost = w.repost(dan, post)
    const follow = w.follow(carla, alice)

    const all = await notificationsOf(w, alice)

    expect(
      all.map(({ reason, uri, cid, reasonSubject, record }) => [
        reason,
        uri,
        cid,
        reasonSubject,
        record['$type'],
      ]),
    ).toEqual([
      ['follow', follow.uri, follow.cid, undefined, 'app.bsky.graph.follow'],
      ['repost', repost.uri, repost.cid, post.uri, 'app.bsky.feed.repost'],
      ['like', like.uri, like.cid, post.uri, 'app.bsky.feed.like'],
    ])
    expect(all[2]!.record['subject']).toEqual(post)
    expect(all.map(({ author }) => author.did)).toEqual([carla, dan, carla])
  })

  test('when a trusted verifier verifies them, and when that ends', async () => {
    w.dispose()
    w = createServingWorld({ scope: 'community', members: ['alice'], trustedVerifiers: [bob] })
    for (const did of [alice, bob, carla]) w.profile(did, { displayName: 'somebody' })
    const word = { subject: alice, handle: 'alice.test', displayName: 'somebody' }
    const verification = w.create(bob, 'app.bsky.graph.verification', word)
    w.create(carla, 'app.bsky.graph.verification', word)
    expect(await notificationsOf(w, alice)).toMatchObject([
      { reason: 'verified', uri: verification.uri, cid: verification.cid, record: word },
    ])
    w.delete(verification)
    expect(await notificationsOf(w, alice)).toMatchObject([
      {
        reason: 'unverified',
        uri: verification.uri,
        record: { $type: 'app.bsky.notification.defs#recordDeleted' },
      },
    ])
  })

  test('of a follow with the starter pack that led to it', async () => {
    const list = w.create(bob, 'app.bsky.graph.list', {
      name: 'people',
      purpose: 'app.bsky.graph.defs#referencelist',
    })
    const pack = w.create(bob, 'app.bsky.graph.starterpack', { name: 'Start', list: list.uri })
    w.create(carla, 'app.bsky.graph.follow', { subject: alice, via: pack })
    w.create(dan, 'app.bsky.graph.follow', { subject: alice, via: list })

    const all = await notificationsOf(w, alice)

    expect(all.map(({ reason, author }) => [reason, author.did])).toEqual([
      ['follow', dan],
      ['follow', carla],
    ])
    expect(all[0]).not.toHaveProperty('starterPack')
    expect(all[1]).toMatchObject({ starterPack: { uri: pack.uri, creator: { did: bob } } })
  })

  test('of mentions, quotes and replies: one reason per post, in that order', async () => {
    const post = w.post(alice)
    const named = w.post(carla, { facets: mention(alice), reply: { parent: post } })
    const quote = w.post(carla, { quote: post, reply: { parent: post } })
    const reply = w.post(carla, { reply: { parent: post } })

    expect(await notified(w, alice)).toEqual([
      `reply ${reply.uri} ${post.uri}`,
      `quote ${quote.uri} ${post.uri}`,
      `mention ${named.uri}`,
    ])
  })

  test('of likes and reposts via their repost, as is the post’s author', async () => {
    const post = w.post(bob)
    const repost = w.repost(alice, post)
    const like = w.create(carla, 'app.bsky.feed.like', via(post, repost))
    const again = w.create(carla, 'app.bsky.feed.repost', via(post, repost))
    const own = w.create(bob, 'app.bsky.feed.like', via(post, repost))

    expect(await notified(w, alice)).toEqual([
      `repost-via-repost ${again.uri} ${repost.uri}`,
      `like-via-repost ${like.uri} ${repost.uri}`,
    ])
    expect(await notified(w, bob)).toEqual([
      `repost ${again.uri} ${post.uri}`,
      `like ${like.uri} ${post.uri}`,
      `repost ${repost.uri} ${post.uri}`,
    ])
    expect(own.uri).toContain(bob)
  })

  test('of strangers who joined through their starter pack, once', async () => {
    const eve = didOf('eve')
    const record = { name: 'start', list: `at://${alice}/app.bsky.graph.list/3klist2222222` }
    const { uri: pack } = w.create(alice, 'app.bsky.graph.starterpack', record)
    const joined = { joinedViaStarterPack: { uri: pack, cid: w.post(alice).cid } }
    const profile = w.profile(eve, joined)
    w.write({
      did: eve,
      collection: 'app.bsky.actor.profile',
      rkey: 'self',
      operation: 'update',
      record: { ...joined, displayName: 'Eve', createdAt: w.isoNow() },
    })

    const all = await notificationsOf(w, alice)
    expect(all.map(({ reason, uri, reasonSubject }) => [reason, uri, reasonSubject])).toEqual([
      ['starterpack-joined', profile.uri, pack],
    ])
    expect(all[0]!.record['displayName']).toBe('Eve')
    w.delete(pack)
    expect(await notified(w, alice)).toEqual([])
  })

  test('of none of their own actions, nor is another member', async () => {
    const post = w.post(alice, { facets: mention(alice) })
    w.like(alice, post)
    w.repost(alice, post)
    w.follow(alice, alice)
    w.post(alice, { reply: { parent: post }, quote: post })

    expect(await notified(w, alice)).toEqual([])
    expect(await notified(w, bob)).toEqual([])
  })

  test('with a post’s self-labels', async () => {
    const labels = { $type: 'com.atproto.label.defs#selfLabels', values: [{ val: 'porn' }] }
    w.post(carla, { facets: mention(alice), more: { labels } })
    const [notification] = await notificationsOf(w, alice)
    expect(notification!.labels.map(({ val }) => val)).toEqual(['porn'])
  })
})

describe('a reply', () => {
  test('notifies the authors of four posts above it, each once', async () => {
    const root = w.post(alice)
    const thread = [root]
    for (const did of [bob, carla, dan, carla, dan]) {
      thread.push(w.post(did, { reply: { root, parent: thread.at(-1)! } }))
    }
    // Four above: Bob's, Carla's, Dan's, Carla's. Alice's root is further up.
    expect(await notified(w, alice)).toEqual(
      thread
        .slice(1, 5)
        .map(({ uri }) => `reply ${uri} ${root.uri}`)
        .reverse(),
    )
    expect(await notified(w, bob)).toEqual(
      thread
        .slice(2, 6)
        .map(({ uri }) => `reply ${uri} ${thread[1]!.uri}`)
        .reverse(),
    )
  })

  test('received before its parent notifies those above once the parent arrives', async () => {
    const root = w.post(alice)
    const middle = w.hold(() => w.post(carla, { reply: { parent: root } }))
    const [event] = middle
    const parent = { uri: `at://${carla}/app.bsky.feed.post/${keyOf(event)}`, cid: cidOf(event) }
    const reply = w.post(bob, { reply: { root, parent } })
    expect(await notified(w, alice)).toEqual([])

    w.apply(middle)
    w.apply(middle)
    expect(await notified(w, alice)).toEqual([
      `reply ${reply.uri} ${root.uri}`,
      `reply ${parent.uri} ${root.uri}`,
    ])
  })

  test('or quote that the gates forbid notifies no account', async () => {
    const post = w.post(alice)
    w.threadgate(post, [])
    w.postgate(post, {
      post: post.uri,
      embeddingRules: [{ $type: 'app.bsky.feed.postgate#disableRule' }],
    })
    w.post(carla, { reply: { parent: post } })
    w.post(carla, { quote: post })
    expect(await notified(w, alice)).toEqual([])
  })

  test('below a hidden reply notifies only that reply’s author', async () => {
    const post = w.post(alice)
    const hidden = w.post(bob, { reply: { parent: post } })
    w.threadgate(post, undefined, { hiddenReplies: [hidden.uri] })
    const below = w.post(carla, { reply: { root: post, parent: hidden } })

    expect(await notified(w, bob)).toEqual([`reply ${below.uri} ${hidden.uri}`])
    // Alice hid the reply that notified her before.
    expect(await notified(w, alice)).toEqual([])
  })
})

describe('a notification disappears', () => {
  test('with its record, and reappears with a new one', async () => {
    const post = w.post(alice)
    const actions = [w.like(carla, post), w.repost(carla, post), w.follow(carla, alice)]
    actions.push(w.post(carla, { reply: { parent: post } }))
    expect(await notified(w, alice)).toHaveLength(4)
    for (const act of actions) w.delete(act)
    expect(await notified(w, alice)).toEqual([])

    const again = w.like(carla, post)
    expect(await notified(w, alice)).toEqual([`like ${again.uri} ${post.uri}`])
  })

  test('with the post or repost that it is about', async () => {
    const post = w.post(alice)
    const repost = w.repost(alice, w.post(bob))
    w.like(carla, post)
    w.create(dan, 'app.bsky.feed.like', via(post, repost))
    w.post(carla, { reply: { parent: post } })
    w.delete(post)
    expect(await notified(w, alice)).toHaveLength(1)
    w.delete(repost)
    expect(await notified(w, alice)).toEqual([])
  })

  test('with the account that caused it, while that is inactive', async () => {
    const post = w.post(alice)
    w.like(carla, post)
    w.like(dan, post)
    w.status(carla, 'deactivated')
    expect(await notified(w, alice)).toHaveLength(1)
    w.status(carla)
    expect(await notified(w, alice)).toHaveLength(2)
    w.status(carla, 'deleted')
    w.status(carla)
    expect(await notified(w, alice)).toHaveLength(1)
  })

  test('only with the last of two identical likes', async () => {
    const post = w.post(alice)
    const first = w.like(carla, post)
    const second = w.like(carla, post)
    expect(await notified(w, alice)).toEqual([`like ${first.uri} ${post.uri}`])
    w.delete(first)
    expect(await notified(w, alice)).toEqual([`like ${second.uri} ${post.uri}`])
    const [{ record } = { record: {} }] = await notificationsOf(w, alice)
    expect(record).toMatchObject({ $type: 'app.bsky.feed.like', subject: post })
  })
})

describe('hides notifications', () => {
  test.each([
    ['that is muted', () => w.mute(alice, carla)],
    ['that is blocked', () => void w.block(alice, carla)],
    ['that blocks the member', () => void w.block(carla, alice)],
    [
      'that is blocked by a list',
      () => {
        const list = w.list(bob, 'no')
        w.listItem(bob, list, carla)
        w.listBlock(alice, list)
      },
    ],
  ])('of an account %s', async (_, hide) => {
    const post = w.post(alice)
    w.like(carla, post)
    const other = w.like(dan, post)
    hide()
    expect(await notified(w, alice)).toEqual([`like ${other.uri} ${post.uri}`])
  })
})

type Event = ReturnType<ServingWorld['hold']>[number] | undefined

function keyOf(event: Event): string {
  return event?.kind === 'commit' ? event.rkey : ''
}

function cidOf(event: Event): string {
  return event?.kind === 'commit' && event.operation !== 'delete' ? event.cid : ''
}
