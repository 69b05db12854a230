// Notifications of all accounts, if the operator collects them: the same as members', limited by age and
// number, and read through the dataplane for any account that the frontend names.

import { type Client, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { afterEach, describe, expect, test } from 'vitest'
import { createHydrator } from '../../../src/answers/hydrate/hydrator.ts'
import { createMediaUrls } from '../../../src/answers/views/media-urls.ts'
import { Service } from '../../../src/features/dataplane/generated/bsky-pb.ts'
import {
  seeNotifications,
  setPreferences,
} from '../../../src/ingest/indexing/notifications/notification-state.ts'
import { ageNotifications } from '../../../src/ingest/indexing/retention/age-notifications.ts'
import { createWriter } from '../../../src/ingest/indexing/writer.ts'
import { createNaiveNotifications } from '../../support/naive-notifications.ts'
import { notificationsOf, notified } from '../../support/notifications.ts'
import { createRandom } from '../../support/random.ts'
import { randomHistory } from '../../support/random-history.ts'
import { didOf } from '../../support/records.ts'
import { referenceUrlPatterns } from '../../support/reference-appview.ts'
import { testSeed } from '../../support/seed.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'
import { type DataplaneWorld, startDataplaneOver } from './dataplane-world.ts'

const DAY_MS = 86_400_000
const DAYS = 30
/** Limit for an account that is not a member, and the number of inserts between two counts. */
const MAX_STORED = 2_000
const CHECK_EVERY = 64
const people = Array.from({ length: 9 }, (_, i) => didOf(`person-${i}`))
const [alice, bob, carla] = ['alice', 'bob', 'carla'].map(didOf) as [string, string, string]

let w: ServingWorld
let dataplane: DataplaneWorld | undefined
let viewers: string[] = []
let calls: Client<typeof Service>

afterEach(async () => {
  await dataplane?.close()
  w.dispose()
})

async function start(days: number, members: string[] = []): Promise<void> {
  w = createServingWorld({ scope: 'network', members, notificationDays: days })
  const { reader: db, actors, graph } = w.world
  const urls = createMediaUrls(referenceUrlPatterns)
  viewers = []
  dataplane = await startDataplaneOver(
    { db, hydrator: createHydrator({ db, actors, graph, urls }), written: { actors, graph } },
    {
      settings: { dataplaneNotificationDays: days },
      onViewer: (did) => void viewers.push(did),
    },
  )
  calls = createClient(Service, createGrpcTransport({ baseUrl: dataplane.url }))
}

async function allOf(actorDid: string): Promise<string[]> {
  const lines: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await calls.getNotifications({ actorDid, limit: 40, cursor })
    lines.push(
      ...page.notifications.map(({ reason, uri, reasonSubject, timestamp }) =>
        [reason, uri, reasonSubject, Number(timestamp?.seconds)].join(' '),
      ),
    )
    cursor = page.cursor || undefined
  }
  return lines
}

function rows(): number {
  return w.db.prepare('SELECT count(*) FROM notifications').pluck().get() as number
}

/** Runs pruning to the end, as the ingest thread does step by step. */
function age(): void {
  while (w.run((ctx) => ageNotifications(ctx)));
}

test('notifications of members and others match the model', async () => {
  await start(DAYS, ['person-0'])
  const random = createRandom(testSeed('everybody’s notifications'))
  const model = createNaiveNotifications(people)
  for (const event of w.world.sent) model.apply(event)
  for (const event of randomHistory(w.world, random, 700)) {
    w.apply([event])
    model.apply(event)
  }
  let seen = 0
  for (const did of people) {
    const expected = model
      .told(did)
      .map(({ reason, uri, subject = '', sortAt }) =>
        [reason, uri, subject, Math.floor(sortAt / 1000)].join(' '),
      )
    const found = await allOf(did)
    expect(found.toSorted(), did).toEqual(expected.toSorted())
    const { count } = await calls.getUnreadNotificationCount({ actorDid: did })
    if (did !== people[0]) expect(count, did).toBe((await notificationsOf(w, did)).length)
    seen += found.length
  }
  expect(seen).toBeGreaterThan(20)
  expect(new Set(viewers)).toEqual(new Set([people[0]]))
})

test('an account never seen before finds who mentioned it', async () => {
  await start(DAYS)
  const mention = { $type: 'app.bsky.richtext.facet#mention', did: carla }
  const facets = [{ index: { byteStart: 0, byteEnd: 1 }, features: [mention] }]
  const { uri } = w.post(alice, { facets })
  expect((await allOf(carla)).map((line) => line.split(' ').slice(0, 2))).toEqual([
    ['mention', uri],
  ])
})

test('the new ones are counted up to a thousand, without strangers’ if only follows are wanted', async () => {
  await start(DAYS, ['alice'])
  const count = async () => (await calls.getUnreadNotificationCount({ actorDid: alice })).count
  const post = w.post(alice)
  w.follow(alice, bob)
  w.run((ctx) => seeNotifications(ctx, alice, w.now()))
  for (const did of [bob, carla]) w.like(did, post)
  expect(await count()).toBe(2)
  w.run((ctx) => setPreferences(ctx, alice, { like: { include: 'follows' } }))
  expect(await count()).toBe(1)
  w.run((ctx) => setPreferences(ctx, alice, { like: { include: 'all', list: false } }))
  expect(await count()).toBe(0)
  w.run((ctx) => setPreferences(ctx, alice, { like: { include: 'all', list: true } }))
  w.apply(
    w.hold(() => {
      for (let i = 0; i < 1_100; i++) w.like(didOf(`fan ${i}`), post)
    }),
  )
  expect(await count()).toBe(1_000)
  w.tick(1)
  w.run((ctx) => seeNotifications(ctx, alice, w.now()))
  expect(await count()).toBe(0)
})

test('those that the list hides are not counted: hidden replies, blocked and muted accounts', async () => {
  await start(DAYS, ['alice'])
  for (const did of [alice, bob, carla]) w.profile(did)
  const post = w.post(alice)
  const count = async () => (await calls.getUnreadNotificationCount({ actorDid: alice })).count
  const hidden = w.post(bob, { reply: { parent: post } })
  w.post(carla, { reply: { parent: post } })
  w.like(carla, post)
  expect(await count()).toBe(3)
  w.threadgate(post, undefined, { hiddenReplies: [hidden.uri] })
  expect(await count()).toBe(2)
  w.create(carla, 'app.bsky.graph.block', { subject: alice })
  expect(await count()).toBe(0)
})

test('if only members are notified, an account that asks is to become one', async () => {
  await start(0)
  w.like(bob, w.post(alice))
  expect(await allOf(alice)).toEqual([])
  expect(viewers).toEqual([alice])
  expect(rows()).toBe(0)
})

test('a new member finds all of them with their records, once', async () => {
  await start(DAYS)
  for (const did of [alice, bob, carla]) w.profile(did)
  const post = w.post(alice)
  const repost = w.repost(alice, w.post(carla))
  const via = { subject: post, via: repost, createdAt: w.isoNow() }
  const made = [
    w.like(bob, post),
    w.repost(bob, post),
    w.post(carla, { reply: { parent: post } }),
    w.follow(bob, alice),
    w.create(carla, 'app.bsky.feed.like', via),
  ]
  const before = await allOf(alice)
  expect(before).toHaveLength(made.length + 1)
  w.member(alice)
  const after = await notificationsOf(w, alice)
  expect((await notified(w, alice)).toSorted()).toEqual(
    before.map((line) => line.split(' ').slice(0, -1).join(' ').trim()).toSorted(),
  )
  const kinds = after.map(({ uri, record }) => [uri.split('/')[3], record['$type']])
  for (const [collection, $type] of kinds) expect($type).toBe(collection)
  expect((await allOf(alice)).toSorted()).toEqual(before.toSorted())
  // She never said how far she has seen them.
  const { count } = await calls.getUnreadNotificationCount({ actorDid: alice })
  expect(count).toBe(before.length)
})

describe('notifications kept for accounts that are not members', () => {
  test('are limited in number: the oldest are dropped', async () => {
    await start(DAYS)
    const post = w.post(alice)
    const fans = Array.from({ length: MAX_STORED + 3 * CHECK_EVERY }, (_, i) => didOf(`fan ${i}`))
    w.apply(
      w.hold(() => {
        for (const did of fans) w.like(did, post)
      }),
    )
    expect(rows()).toBeGreaterThanOrEqual(MAX_STORED)
    expect(rows()).toBeLessThanOrEqual(MAX_STORED + CHECK_EVERY)
    const { notifications } = await calls.getNotifications({ actorDid: alice, limit: 1 })
    expect(notifications[0]!.uri).toContain(fans.at(-1))
  })

  test('and in age, while members keep theirs; too old ones are not accepted', async () => {
    await start(DAYS, ['bob'])
    const [hers, his] = [w.post(alice), w.post(bob)]
    for (const post of [hers, his]) w.like(carla, post)
    const old = new Date(w.now() - (DAYS + 1) * DAY_MS).toISOString()
    w.create(didOf('dora'), 'app.bsky.feed.like', { subject: hers, createdAt: old })
    w.tick((DAYS - 1) * DAY_MS)
    w.like(didOf('dan'), hers)
    age()
    expect(await allOf(alice)).toHaveLength(2)
    w.tick(2 * DAY_MS)
    age()
    expect((await allOf(alice)).map((line) => line.includes(didOf('dan')))).toEqual([true])
    expect(await allOf(bob)).toHaveLength(1)
  })

  test('are dropped when none are to be kept any more', async () => {
    await start(DAYS, ['bob'])
    for (const did of [alice, bob]) w.like(carla, w.post(did))
    expect(rows()).toBe(2)
    age()
    const { db, memory, now } = w.world
    const writer = createWriter({ db, memory, scope: 'network', now })
    while (writer.commit((ctx) => ageNotifications(ctx)));
    expect(rows()).toBe(1)
    expect(await allOf(bob)).toHaveLength(1)
    const isNoted = "SELECT count(*) FROM meta WHERE key LIKE 'notifications.%'"
    expect(db.prepare(isNoted).pluck().get()).toBe(0)
  })
})
