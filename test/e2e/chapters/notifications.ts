// Notifications of others' acts on a member, through a real PDS and the app's own decoder.

import { app } from '@bsky/sdk/lexicons'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import {
  type Account,
  create,
  follow,
  like,
  post,
  type Ref,
  remove,
  reply,
  repost,
} from '../support/account.ts'
import { timeline } from '../support/reading.ts'
import { people, type World } from '../support/world.ts'

const { listNotifications, getUnreadCount, updateSeen } = app.bsky.notification

export function notificationsChapter(world: () => World): void {
  test('of every act on a member, with the records as they are in repositories', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await timeline(alice)
    const own = await post(alice, 'mine')
    await indexed(alice, own)
    const text = `hello @${alice.handle}`
    const mention = { $type: 'app.bsky.richtext.facet#mention', did: alice.did }
    const facets = [{ index: { byteStart: 6, byteEnd: text.length }, features: [mention] }]
    const subject = await post(carol, 'hers')
    const shared = await repost(alice, subject)
    // The stranger's post is kept from here on. An account that likes it via the repost has seen
    // it, but the Jetstream server keeps no order between accounts.
    await indexed(alice, subject)
    const done: [string, Ref, Ref | undefined][] = [
      ['follow', await follow(bob, alice), undefined],
      ['like', await like(bob, own), own],
      ['repost', await repost(carol, own), own],
      ['reply', await reply(bob, own, own, 'yes'), own],
      ['quote', await post(carol, 'so true', { embed: embedded(own) }), own],
      ['mention', await post(bob, text, { facets }), undefined],
    ]
    const via = await create(bob, 'app.bsky.feed.like', { subject, via: shared })
    done.push(['like-via-repost', via, shared])

    await world().stands('notifications', async () => {
      expect(await notified(alice)).toEqual(
        done
          .map(([reason, ref, about]) => ({
            reason,
            uri: ref.uri,
            cid: ref.cid,
            reasonSubject: about?.uri,
          }))
          .reverse(),
      )
    })
    expect(await notified(alice, 'by-header')).toHaveLength(done.length)
  })

  test('until they are seen, and no more once the acts are undone', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await timeline(alice)
    const own = await post(alice, 'mine')
    await indexed(alice, own)
    const likes = [await like(bob, own), await like(carol, own)]
    await eventually(async () => expect(await unread(alice)).toBe(2))
    const { notifications } = await alice.client().call(listNotifications, {})
    expect(notifications.map(({ isRead }) => isRead)).toEqual([false, true])

    await alice.client().call(updateSeen, { seenAt: new Date().toISOString() as never })
    expect(await unread(alice)).toBe(0)
    const follows = await follow(bob, alice)
    await remove(carol, likes[1]!)
    await world().stands('what was seen', async () => {
      expect((await notified(alice)).map(({ uri }) => uri)).toEqual([follows.uri, likes[0]!.uri])
      expect(await unread(alice)).toBe(1)
    })
  })

  test('of events that a newcomer missed, as old ones', async () => {
    const [alice, bob, carol] = await people(world(), 'alice', 'bob', 'carol')
    await timeline(alice)
    await follow(alice, bob)
    await eventually(async () => expect(await known(alice, bob)).toBe(true))
    const own = await post(bob, 'before I came')
    await indexed(alice, own)
    const before = await like(carol, own)
    await eventually(async () => {
      const { posts } = await alice.client().call(app.bsky.feed.getPosts, { uris: [own.uri] })
      expect(posts[0]?.likeCount).toBe(1)
    })
    await timeline(bob)
    await eventually(async () => {
      const found = (await notified(bob)).find(({ uri }) => uri === before.uri)
      // Rebuilt from its row, it equals the record that Carol wrote.
      expect(found).toEqual({ ...before, reason: 'like', reasonSubject: own.uri })
    })
    expect(await unread(bob)).toBe(0)
  })

  test('of posts that a member subscribed to, and none that they turned off', async () => {
    const [alice, bob] = await people(world(), 'alice', 'bob')
    await timeline(alice)
    const own = await post(alice, 'mine')
    await follow(alice, bob)
    await eventually(async () => expect(await known(alice, bob)).toBe(true))
    const { putActivitySubscription, putPreferencesV2, getPreferences } = app.bsky.notification
    const activitySubscription = { post: true, reply: false }
    await alice.client().call(putActivitySubscription, { subject: bob.did, activitySubscription })
    const silent = { include: 'all', list: false, push: false }
    await alice.client().call(putPreferencesV2, { like: silent })
    await like(bob, own)
    const news = await post(bob, 'news')

    await world().stands('subscriptions and preferences', async () => {
      expect((await notified(alice)).map(({ reason, uri }) => [reason, uri])).toEqual([
        ['subscribed-post', news.uri],
      ])
      const { preferences } = await alice.client().call(getPreferences, {})
      expect(preferences.like).toEqual(silent)
      const { subscriptions } = await alice
        .client()
        .call(app.bsky.notification.listActivitySubscriptions, {})
      expect(subscriptions.map(({ did }) => did)).toEqual([bob.did])
    })
  })
}

function embedded(record: Ref) {
  return { $type: 'app.bsky.embed.record', record }
}

async function notified(reader: Account, way?: Parameters<Account['client']>[0]) {
  const { notifications } = await reader.client(way).call(listNotifications, { limit: 100 })
  return notifications.map(({ reason, uri, cid, reasonSubject }) => {
    return { reason, uri, cid: String(cid), reasonSubject }
  })
}

async function unread(reader: Account): Promise<number> {
  return (await reader.client().call(getUnreadCount, {})).count
}

/** Waits until the post is indexed. */
async function indexed(reader: Account, { uri }: Ref): Promise<void> {
  await eventually(async () => {
    const { posts } = await reader.client().call(app.bsky.feed.getPosts, { uris: [uri] })
    expect(posts).toHaveLength(1)
  })
}

async function known(reader: Account, other: Account): Promise<boolean> {
  const profile = await reader.client().call(app.bsky.actor.getProfile, { actor: other.did })
  return profile.viewer?.following !== undefined
}
