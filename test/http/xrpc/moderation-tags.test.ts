// Effects of moderators' tags: in search, tags of the post, its author and the profile; in threads and
// notifications, those of the post; and the viewers they do not affect.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ModerationDecision } from '../../../src/bridge/messages.ts'
import { decide } from '../../../src/ingest/indexing/moderation/moderation.ts'
import { didOf } from '../../support/records.ts'
import { searchable } from '../../support/searching.ts'
import { createServingWorld, type Query, type ServingWorld } from '../../support/serving-world.ts'
import type { RecordId } from '../../support/world.ts'

const [alice, bob, carol, dan, ozone] = ['alice', 'bob', 'carol', 'dan', 'ozone'].map(didOf) as [
  string,
  string,
  string,
  string,
  string,
]
const PROFILE_OF_BOB = `at://${bob}/app.bsky.actor.profile/self`

let w: ServingWorld
beforeEach(() => {
  w = createServingWorld({
    scope: 'network',
    members: ['alice', 'carol', 'dan'],
    moderationServices: [ozone],
  })
  for (const did of [alice, bob, carol, dan]) w.profile(did)
})
afterEach(() => w.dispose())

function moderate(act: ModerationDecision['act'], subject: string, tag: string): boolean {
  let isNews = false
  w.run((ctx) => {
    isNews = decide(ctx, { act, subject, tag, by: 'tester', reason: 'a test' })
  })
  return isNews
}

describe('in search', () => {
  let good: RecordId
  let bad: RecordId
  beforeEach(() => {
    good = w.post(bob, 'good doggo')
    bad = w.post(bob, 'bad doggo')
    searchable(w)
  })

  async function found(query: Query, viewer = carol, nsid = 'app.bsky.feed.searchPosts') {
    const { body } = await w.ask<{ posts: { uri: string }[] }>(nsid, query, viewer)
    return body.posts.map(({ uri }) => uri).sort()
  }
  const [both, untagged] = [() => [good.uri, bad.uri].sort(), () => [good.uri]]

  test('a tagged post is found only among its author’s latest posts', async () => {
    expect(moderate('tag', bad.uri, 'search-hide')).toBe(true)
    for (const sort of ['top', 'latest'])
      expect(await found({ q: 'doggo', sort })).toEqual(untagged())
    const ofBob: Query[] = [
      { q: 'doggo', author: bob },
      { q: `doggo from:${bob}` },
      { q: `doggo ${bob}` },
    ]
    for (const query of ofBob) {
      expect(await found({ ...query, sort: 'latest' })).toEqual(both())
      expect(await found({ ...query, sort: 'top' })).toEqual(untagged())
    }
    const v2 = 'app.bsky.feed.searchPostsV2'
    expect(await found({ query: 'doggo', authors: [bob], sort: 'recent' }, carol, v2)).toEqual(
      both(),
    )
    expect(await found({ query: 'doggo', sort: 'recent' }, carol, v2)).toEqual(untagged())
  })

  test('a fully hidden post is found only by its author and by moderation services', async () => {
    moderate('tag', bad.uri, 'search-hide-all')
    expect(await found({ q: 'doggo', author: bob, sort: 'latest' })).toEqual(untagged())
    expect(await found({ q: 'doggo' }, ozone)).toEqual(both())
    w.member(bob)
    expect(await found({ q: 'doggo' }, bob)).toEqual(both())
  })

  test('tags of an account or its profile apply to all its posts, until removed', async () => {
    for (const subject of [bob, PROFILE_OF_BOB]) {
      moderate('tag', subject, 'search-hide')
      expect(await found({ q: 'doggo' })).toEqual([])
      expect(moderate('untag', subject, 'search-hide')).toBe(true)
      expect(await found({ q: 'doggo' })).toEqual(both())
    }
  })

  test('a page is full although some posts between are tagged', async () => {
    const texts = Array.from({ length: 12 }, (_, i) => w.post(dan, `doggo ${i}`))
    searchable(w)
    for (const { uri } of texts.filter((_, i) => i % 2 === 0)) moderate('tag', uri, 'search-hide')
    for (const sort of ['top', 'latest']) {
      expect(await found({ q: 'doggo', sort, limit: 5 })).toHaveLength(5)
    }
  })
})

describe('in threads', () => {
  let root: RecordId
  let replies: Record<string, RecordId>
  beforeEach(() => {
    root = w.post(alice, 'the root')
    const parent = root
    replies = {
      ofCarol: w.post(carol, { text: 'carol', reply: { parent } }),
      ofBob: w.post(bob, { text: 'bob', reply: { parent } }),
      ofDan: w.post(dan, { text: 'dan', reply: { parent } }),
    }
  })

  async function thread(viewer: string, which = '') {
    const nsid = `app.bsky.unspecced.getPostThread${which}V2`
    const query = { anchor: root.uri, ...(which ? {} : { sort: 'newest' }) }
    const { body } = await w.ask<{
      thread: { uri: string; depth: number }[]
      hasOtherReplies?: boolean
    }>(nsid, query, viewer)
    const uris = body.thread.filter(({ depth }) => depth === 1).map(({ uri }) => uri)
    return { uris, hasOtherReplies: body.hasOtherReplies }
  }
  const uris = (...names: string[]) => names.map((name) => replies[name]!.uri)

  test('a tagged reply moves to the other replies, except for the owner’s and one’s own and for followers', async () => {
    moderate('tag', replies['ofBob']!.uri, 'thread-hide')
    expect(await thread(dan)).toEqual({ uris: uris('ofDan', 'ofCarol'), hasOtherReplies: true })
    expect((await thread(dan, 'Other')).uris).toEqual(uris('ofBob'))
    w.follow(carol, bob)
    expect((await thread(carol)).uris).toEqual(uris('ofCarol', 'ofBob', 'ofDan'))
    moderate('tag', replies['ofCarol']!.uri, 'thread-hide')
    expect((await thread(carol)).uris).toEqual(uris('ofCarol', 'ofBob', 'ofDan'))
    const own = w.post(alice, { text: 'the owner', reply: { parent: root } })
    moderate('tag', own.uri, 'thread-hide')
    expect((await thread(dan)).uris).toEqual([own.uri, ...uris('ofDan')])
  })

  test('a bumped-down reply is ordered after the others', async () => {
    expect((await thread(alice)).uris).toEqual(uris('ofDan', 'ofBob', 'ofCarol'))
    moderate('tag', replies['ofDan']!.uri, 'thread-bump-down')
    expect((await thread(alice)).uris).toEqual(uris('ofBob', 'ofCarol', 'ofDan'))
    moderate('untag', replies['ofDan']!.uri, 'thread-bump-down')
    expect((await thread(alice)).uris).toEqual(uris('ofDan', 'ofBob', 'ofCarol'))
  })
})

test('a tagged reply notifies and counts for its author’s followers only; a like still notifies', async () => {
  const NOTIFICATION = 'app.bsky.notification'
  const notified = async () => {
    const list = await w.ask<{ notifications: { reason: string }[] }>(
      `${NOTIFICATION}.listNotifications`,
      {},
      carol,
    )
    const unread = await w.ask<{ count: number }>(`${NOTIFICATION}.getUnreadCount`, {}, carol)
    return [list.body.notifications.map(({ reason }) => reason), unread.body.count]
  }
  const root = w.post(carol, 'mine')
  const reply = w.post(bob, { text: 'spam', reply: { parent: root } })
  w.create(bob, 'app.bsky.feed.like', { subject: root })
  expect(await notified()).toEqual([['like', 'reply'], 2])
  moderate('tag', reply.uri, 'thread-hide')
  expect(await notified()).toEqual([['like'], 1])
  w.follow(carol, bob)
  expect(await notified()).toEqual([['like', 'reply'], 2])
})

test('a tag may precede its record, and lists cannot be tagged', async () => {
  const root = w.post(carol, 'mine')
  moderate('tag', `at://${bob}/app.bsky.feed.post/later`, 'thread-hide')
  const reply = { root, parent: root }
  w.create(bob, 'app.bsky.feed.post', { text: 'spam', reply }, 'later')
  const { body } = await w.ask<object>(
    'app.bsky.unspecced.getPostThreadV2',
    { anchor: root.uri },
    dan,
  )
  expect(body).toMatchObject({ thread: [{ uri: root.uri }], hasOtherReplies: true })
  expect(() => moderate('tag', `at://${bob}/app.bsky.graph.list/x`, 'thread-hide')).toThrow(
    /Only accounts/,
  )
})
