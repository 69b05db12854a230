// Notifications over time: a new member's backlog, the limit on stored ones, restarts, and a database from
// before notifications existed.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, test } from 'vitest'
import { createNotifications } from '../../../../src/answers/skeleton/notifications.ts'
import { packCid, packRkey } from '../../../../src/base/atproto/keys.ts'
import { openWriter } from '../../../../src/data/store/db.ts'
import * as initial from '../../../../src/data/store/migrations/001-025/001-initial.ts'
import { memberSeen } from '../../../../src/ingest/indexing/members/members.ts'
import { rebuildMemory } from '../../../../src/ingest/indexing/memory/rebuild-memory.ts'
import { createWriter } from '../../../../src/ingest/indexing/writer.ts'
import { createMemoryParts } from '../../../support/memory-parts.ts'
import { notificationsOf, notified, readPage, unread } from '../../../support/notifications.ts'
import { cidOf, didOf, tidAt } from '../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'
import { createWorld, type RecordId } from '../../../support/world.ts'

/** Notifications stored per member; the limit is checked every CHECK_EVERY. */
const MAX_STORED = 5_000
const CHECK_EVERY = 500
const [alice, bob, carla, dan] = ['alice', 'bob', 'carla', 'dan'].map(didOf) as [
  string,
  string,
  string,
  string,
]

let w: ServingWorld | undefined
afterEach(() => {
  w?.dispose()
  w = undefined
})

function start(): ServingWorld {
  w = createServingWorld({ scope: 'community', members: ['bob'] })
  for (const did of [alice, bob, carla, dan]) w.profile(did)
  return w
}

describe('a new member', () => {
  test('finds earlier acts towards them that are stored here, none of them unread', async () => {
    const world = start()
    world.follow(bob, alice)
    const post = world.post(alice)
    const reply = world.post(carla, { reply: { parent: post } })
    const deeper = world.post(dan, { reply: { root: post, parent: reply } })
    const quote = world.post(carla, { quote: post })
    const repost = world.repost(carla, post)
    const likes = [world.like(carla, post), world.like(dan, post), world.like(dan, post)]
    const follow = world.follow(bob, alice)
    world.like(alice, post)
    const later = world.follow(carla, alice)
    expect(later.uri).toContain(carla)
    world.profile(alice)
    world.member(alice)
    world.member(alice)

    const all = await notificationsOf(world, alice)
    const lines = await notified(world, alice)
    expect([...lines].sort()).toEqual(
      [
        `reply ${reply.uri} ${post.uri}`,
        `reply ${deeper.uri} ${post.uri}`,
        `quote ${quote.uri} ${post.uri}`,
        `repost ${repost.uri} ${post.uri}`,
        `like ${likes[0]!.uri} ${post.uri}`,
        `like ${likes[1]!.uri} ${post.uri}`,
        lines.find((line) => line.startsWith('follow') && line.includes(bob)),
        `follow ${later.uri}`,
      ].sort(),
    )
    expect(follow.uri).toContain(bob)
    expect(all.find(({ uri }) => uri === repost.uri)!.cid).toBe(repost.cid)
    expect(all.find(({ uri }) => uri === likes[0]!.uri)!.record).toMatchObject({ subject: post })
    expect(await unread(world, alice)).toBe(0)

    world.tick(10)
    const fresh = world.like(bob, post)
    expect((await notified(world, alice))[0]).toBe(`like ${fresh.uri} ${post.uri}`)
    expect(await unread(world, alice)).toBe(1)
  })

  test('finds acts via their reposts, if repost and act still exist', async () => {
    const world = start()
    world.follow(bob, alice)
    world.follow(bob, dan)
    const post = world.post(dan)
    const [repost, gone] = [world.repost(alice, post), world.repost(alice, world.post(dan))]
    const act = (did: string, kind: 'like' | 'repost', via: RecordId) =>
      world.create(did, `app.bsky.feed.${kind}`, { subject: post, via, createdAt: world.isoNow() })
    const like = act(carla, 'like', repost)
    const again = act(bob, 'repost', repost)
    // Excluded: by the post's author, by the member, via a deleted repost, withdrawn, and repeated.
    act(dan, 'like', repost)
    act(alice, 'like', repost)
    act(didOf('eve'), 'like', gone)
    world.delete(gone)
    world.delete(act(didOf('fred'), 'like', repost))
    world.profile(alice)
    world.member(alice)

    const lines = (await notified(world, alice)).filter((line) => !line.startsWith('follow'))
    expect(lines.sort()).toEqual(
      [
        `like-via-repost ${like.uri} ${repost.uri}`,
        `repost-via-repost ${again.uri} ${repost.uri}`,
      ].sort(),
    )
    const [visible] = await notificationsOf(world, alice, { reasons: ['like-via-repost'] })
    expect(visible).toMatchObject({ cid: like.cid, record: { via: repost } })
  })

  test('finds likes of their feeds, each account’s first', async () => {
    const world = start()
    world.follow(bob, alice)
    const record = { did: 'did:web:feeds.test', displayName: 'Cats', createdAt: world.isoNow() }
    const feed = world.create(alice, 'app.bsky.feed.generator', record)
    const likes = [carla, dan, dan, alice].map((did) => world.like(did, feed))
    world.profile(alice)
    world.member(alice)
    const lines = (await notified(world, alice)).filter((line) => line.startsWith('like'))
    expect(lines).toEqual([1, 0].map((i) => `like ${likes[i]!.uri} ${feed.uri}`))
    const [latest] = await notificationsOf(world, alice, { reasons: ['like'] })
    expect(latest!.record).toMatchObject({ subject: { uri: feed.uri, cid: feed.cid } })
  })

  test.each([
    ['microseconds', '2026-11-01T12:00:00.123456Z'],
    ['a time zone', '2026-11-01T14:00:00.123+02:00'],
    ['no fraction', '2026-11-01T12:00:00Z'],
  ])('finds the original records, with %s', async (_, createdAt) => {
    const world = start()
    world.follow(bob, alice)
    const post = world.post(alice)
    const written = [
      world.create(carla, 'app.bsky.feed.like', { subject: post, createdAt }),
      world.create(carla, 'app.bsky.feed.repost', { subject: post, createdAt }),
      world.create(carla, 'app.bsky.graph.follow', { subject: alice, createdAt }),
    ]
    world.profile(alice)
    world.member(alice)
    const all = await notificationsOf(world, alice)
    for (const { uri, cid } of written) {
      expect(all.find((notification) => notification.uri === uri)).toMatchObject({
        cid,
        record: { createdAt },
      })
    }
  })

  test('a like rebuilt from its row has its record’s CID', async () => {
    const world = start()
    world.follow(bob, alice)
    const post = world.post(alice)
    world.like(carla, post)
    world.member(alice)
    const [built] = await notificationsOf(world, alice, { reasons: ['like'] })
    const { cidForLex } = await import('@atproto/lex-cbor')
    expect(built!.cid).toBe((await cidForLex(built!.record as never)).toString())
  })
})

describe('storage', () => {
  test('is limited per member: the oldest are dropped', async () => {
    const world = start()
    const post = world.post(bob)
    const fans = Array.from({ length: MAX_STORED + CHECK_EVERY * 2 }, (_, i) => didOf(`fan ${i}`))
    const events = world.hold(() => {
      for (const did of fans) world.like(did, post)
    })
    for (let i = 0; i < events.length; i += 500) world.apply(events.slice(i, i + 500))

    const cached = world.db.prepare('SELECT count(*) FROM notifications').pluck().get() as number
    expect(cached).toBeGreaterThanOrEqual(MAX_STORED)
    expect(cached).toBeLessThanOrEqual(MAX_STORED + CHECK_EVERY)
    const { notifications } = await readPage(world, bob, { limit: 1 })
    expect(notifications[0]!.author.did).toBe(fans.at(-1))
  })

  test('keeps only the lexicon’s fields of a record that a stranger padded', async () => {
    const world = start()
    const subject = world.post(bob)
    const createdAt = '2026-11-01T11:00:00.123Z'
    const padding = 'x'.repeat(3_000)
    const likeOf = { subject: { ...subject, padding }, createdAt }
    world.create(alice, 'app.bsky.feed.like', likeOf)
    world.create(carla, 'app.bsky.feed.repost', { subject, createdAt, padding })
    world.create(dan, 'app.bsky.graph.follow', { subject: bob, createdAt, padding })
    const records = (await notificationsOf(world, bob)).map(({ record }) => record)
    expect(records).toHaveLength(3)
    expect(records).toEqual(
      expect.arrayContaining([
        { $type: 'app.bsky.feed.like', subject, createdAt },
        { $type: 'app.bsky.feed.repost', subject, createdAt },
        { $type: 'app.bsky.graph.follow', subject: bob, createdAt },
      ]),
    )
  })

  test('and settings survive a restart', () => {
    const world = createWorld({ scope: 'network', members: ['bob'] })
    const post = world.post(bob)
    world.like(carla, post)
    const ask = { id: 1, did: bob }
    const seenAt = world.now()
    world.request({ ...ask, kind: 'notifications-seen', seenAt })
    world.request({ ...ask, kind: 'notification-priority', priority: true })
    const patch = { follow: { include: 'follows', list: true, push: true } }
    world.request({ ...ask, kind: 'notification-preferences', patch })
    const read = () => createNotifications({ db: world.reader, graph: world.graph })
    const before = read().settings(world.uid(bob))
    world.restart()

    expect(read().settings(world.uid(bob))).toEqual(before)
    expect(before).toMatchObject({ seenAt, preferences: patch })
    // Stored for the account to take along, though no list applies it.
    const priority = world.reader.prepare('SELECT priority FROM notification_settings').pluck()
    expect(priority.all()).toContain(1)
    const page = { viewer: world.uid(bob), limit: 10, cursor: undefined, priority: false }
    expect(read().page(page).items).toHaveLength(1)
    world.dispose()
  })
})

test('members of a database older than notifications get their backlog on the first read', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-old-'))
  const old = new Database(join(dataDir, 'slipstream.sqlite'))
  old.exec(initial.sql)
  old.pragma('user_version = 1')
  for (const did of [alice, carla]) {
    old.prepare('INSERT INTO actors (did, indexed_at) VALUES (?, 1)').run(did)
  }
  old.prepare('INSERT INTO members (uid, joined_at) VALUES (1, 1)').run()
  old
    .prepare(
      `INSERT INTO posts (uid, rkey, state, cid, record, created_at, indexed_at, sort_at)
        VALUES (1, ?, 1, ?, '{}', 5, 5, 5)`,
    )
    .run(packRkey(tidAt(5_000)), packCid(cidOf('post')))
  old
    .prepare('INSERT INTO likes (uid, rkey, subject, created_at, lag) VALUES (2, ?, 1, 7, 1)')
    .run(packRkey(tidAt(7_000)))
  old.close()

  const db = openWriter(dataDir)
  const memory = createMemoryParts({
    timelineLength: 10,
    reasonableLimit: 10,
    celebrityThreshold: 10,
  })
  rebuildMemory(db, memory)
  const writer = createWriter({ db, memory, scope: 'network', now: () => 100 })
  writer.commit((ctx) => memberSeen(ctx, alice, null))
  expect(db.prepare('SELECT count(*) FROM notifications').pluck().get()).toBe(0)
  writer.commit((ctx) => memberSeen(ctx, alice))
  writer.commit((ctx) => memberSeen(ctx, alice))

  const notifications = createNotifications({ db, graph: memory.graph })
  const page = { viewer: 1, limit: 10, cursor: undefined, priority: false }
  expect(notifications.page(page)).toMatchObject({ items: [1], newest: 7 })
  expect(notifications.unseen(1)).toEqual([])
  db.close()
  rmSync(dataDir, { recursive: true })
})
