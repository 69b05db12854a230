// Activity subscriptions: notifications of an account's posts.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { notified } from '../../../../../support/notifications.ts'
import { didOf } from '../../../../../support/records.ts'
import {
  allPages,
  createServingWorld,
  type ServingWorld,
} from '../../../../../support/serving-world.ts'

const [alice, bob, carla] = ['alice', 'bob', 'carla'].map(didOf) as [string, string, string]
const absent = didOf('absent')
const LIST = 'app.bsky.notification.listActivitySubscriptions'
const PUT = 'app.bsky.notification.putActivitySubscription'

type Subscription = { post: boolean; reply: boolean }
type Profile = { did: string; viewer: { activitySubscription?: Subscription } }
type Page = { subscriptions: Profile[]; cursor?: string }

let w: ServingWorld
beforeEach(() => {
  w = createServingWorld({ scope: 'network', members: ['alice', 'carla'], absent: [absent] })
  for (const did of [alice, bob, carla]) w.profile(did)
  w.follow(alice, bob)
})
afterEach(() => w.dispose())

function put(subject: string, activitySubscription: Subscription, did = alice) {
  w.tick()
  return w.tell(PUT, { subject, activitySubscription }, did)
}

const list = (did = alice) =>
  allPages(
    (cursor) => w.get<Page>(LIST, { limit: 2, cursor }, did),
    (page) => page.subscriptions,
  )

describe('a subscriber', () => {
  test('is notified of posts, and of replies only on request', async () => {
    w.post(bob, 'before')
    await put(bob, { post: true, reply: false })
    const post = w.post(bob)
    w.post(bob, { reply: { parent: post } })
    expect(await notified(w, alice)).toEqual([`subscribed-post ${post.uri}`])

    await put(bob, { post: true, reply: true })
    const reply = w.post(bob, { reply: { parent: post } })
    expect(await notified(w, alice)).toEqual([
      `subscribed-post ${reply.uri}`,
      `subscribed-post ${post.uri}`,
    ])
    expect(await notified(w, carla)).toEqual([])
  })

  test('is notified once of a post that replies to them', async () => {
    await put(bob, { post: true, reply: true })
    const own = w.post(alice)
    const reply = w.post(bob, { reply: { parent: own } })
    expect(await notified(w, alice)).toEqual([`reply ${reply.uri} ${own.uri}`])
  })

  test('is no longer notified after unsubscribing or unfollowing', async () => {
    const follow = w.follow(carla, bob)
    await put(bob, { post: true, reply: false })
    await put(bob, { post: true, reply: false }, carla)
    await put(bob, { post: false, reply: false })
    w.delete(follow)
    w.post(bob)
    expect(await notified(w, alice)).toEqual([])
    expect(await notified(w, carla)).toEqual([])
  })

  test('is notified after a restart too, but not of backfilled older posts', async () => {
    await put(bob, { post: true, reply: false })
    w.world.restart()
    const createdAt = new Date(w.now() - 1000).toISOString()
    const record = { $type: 'app.bsky.feed.post', text: 'old', createdAt }
    w.fetched({ uri: `at://${bob}/app.bsky.feed.post/3kold22222222`, record })
    const post = w.post(bob)
    const rows = w.world.db
      .prepare('SELECT count(*) AS count FROM notifications WHERE reason = 12')
      .all()
    expect(rows).toEqual([{ count: 1 }])
    expect(post.uri).toContain(bob)
  })
})

describe('the list of subscriptions', () => {
  test('pages to the end, latest first, without blocks, with each one’s settings', async () => {
    const people = ['p0', 'p1', 'p2', 'p3', 'p4'].map(didOf)
    for (const did of people) {
      w.profile(did)
      w.follow(alice, did)
      await put(did, { post: true, reply: false })
    }
    w.block(people[1]!, alice)
    await put(people[0]!, { post: true, reply: true })

    const subscriptions = await list()
    expect(subscriptions.map(({ did }) => did)).toEqual([4, 3, 2, 0].map((i) => people[i]))
    expect(subscriptions.at(-1)!.viewer.activitySubscription).toEqual({ post: true, reply: true })
    const profile = await w.get<Profile>('app.bsky.actor.getProfile', { actor: people[2]! }, alice)
    expect(profile.viewer.activitySubscription).toEqual({ post: true, reply: false })
    expect(await list(carla)).toEqual([])
  })

  test('keeps but does not show a subscription to an account not followed', async () => {
    await put(carla, { post: true, reply: false })
    const [only] = await list()
    expect([only!.did, only!.viewer.activitySubscription]).toEqual([carla, undefined])
  })

  test('refuses oneself and accounts that do not exist; ending a missing one succeeds', async () => {
    expect((await put(alice, { post: true, reply: true })).status).toBe(400)
    expect((await put(absent, { post: true, reply: true })).status).toBe(400)
    const ended = await put(absent, { post: false, reply: false })
    expect([ended.status, ended.body]).toEqual([200, { subject: absent }])
    expect(w.memory.actors.uidOf(absent)).toBe(0)
    expect((await w.tell(PUT, { subject: bob }, alice)).status).toBe(400)
  })
})
