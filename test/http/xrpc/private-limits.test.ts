// Limits on the private data that a member stores here, outside any repository, and on the fetches that it
// causes: exceeding either is reported to the member.

import { afterEach, describe, expect, test } from 'vitest'
import { errorOf } from '../../../src/bridge/connection.ts'
import type { Writer } from '../../../src/bridge/messages.ts'
import { createCountBuffer } from '../../../src/data/shared-memory/count-table.ts'
import { createSharedBudget } from '../../../src/data/shared-memory/shared-budget.ts'
import { createWriterRequests } from '../../../src/ingest/upkeep/requests/writer-requests.ts'
import { plcDid } from '../../support/plc-double.ts'
import { cidOf, didOf } from '../../support/records.ts'
import { countRows } from '../../support/rows.ts'
import { createServingWorld, type ServingWorld } from '../../support/serving-world.ts'
import type { World } from '../../support/world.ts'

const [alice, bob] = ['alice', 'bob'].map(didOf) as [string, string]

type Cached = {
  most: number
  /** Fills in earlier rows of the member: `i` counts up. */
  fill: string
  tell: (i: number) => [nsid: string, input: object]
  untell: (i: number) => [nsid: string, input: object]
}

const someone = (i: number) => plcDid(`someone ${i}`)
const postOf = (i: number) => `at://${someone(i)}/app.bsky.feed.post/3kaaaaaaaaa2a`
const listOf = (i: number) => `at://${someone(i)}/app.bsky.graph.list/3kaaaaaaaaa2a`
const subscription = (i: number, post: boolean): [string, object] => [
  'app.bsky.notification.putActivitySubscription',
  { subject: someone(i), activitySubscription: { post, reply: false } },
]

const stored: Record<string, Cached> = {
  'muted accounts': {
    most: 20_000,
    fill: 'mutes (uid, subject, created_at) SELECT :uid, i, 1',
    tell: (i) => ['app.bsky.graph.muteActor', { actor: someone(i) }],
    untell: (i) => ['app.bsky.graph.unmuteActor', { actor: someone(i) }],
  },
  'muted lists': {
    most: 1_000,
    fill: 'list_mutes (uid, list, created_at) SELECT :uid, i, 1',
    tell: (i) => ['app.bsky.graph.muteActorList', { list: listOf(i) }],
    untell: (i) => ['app.bsky.graph.unmuteActorList', { list: listOf(i) }],
  },
  'muted threads': {
    most: 20_000,
    fill: 'thread_mutes (uid, root, created_at) SELECT :uid, i, 1',
    tell: (i) => ['app.bsky.graph.muteThread', { root: postOf(i) }],
    untell: (i) => ['app.bsky.graph.unmuteThread', { root: postOf(i) }],
  },
  bookmarks: {
    most: 50_000,
    fill: "bookmarks (uid, post, cid, created_at) SELECT :uid, i, 'cid', 1",
    tell: (i) => ['app.bsky.bookmark.createBookmark', { uri: postOf(i), cid: cidOf(i) }],
    untell: (i) => ['app.bsky.bookmark.deleteBookmark', { uri: postOf(i) }],
  },
  'activity subscriptions': {
    most: 2_000,
    fill: 'activity_subscriptions (uid, subject, post, reply, created_at) SELECT :uid, i, 1, 0, 1',
    tell: (i) => subscription(i, true),
    untell: (i) => subscription(i, false),
  },
}

let world: ServingWorld | undefined
afterEach(() => world?.dispose())

/** Sends all requests through one ingest thread's budget. */
function withOneWriter(_own: Writer, { writer }: World): Writer {
  const answer = createWriterRequests({ writer, openTimeline() {}, wakeBackfill() {} })
  return {
    async send(request) {
      const reply = answer({ ...request, id: 1 })
      if (!reply.ok) throw errorOf(reply)
    },
  }
}

function start(options: Parameters<typeof createServingWorld>[0] = {}): ServingWorld {
  world = createServingWorld({
    scope: 'network',
    members: ['alice', 'bob'],
    throughWriter: withOneWriter,
    ...options,
  })
  return world
}

async function say(w: ServingWorld, [nsid, input]: [string, object], by = alice) {
  const { status, headers, body } = await w.tell(nsid, input, by)
  return { status, headers, ...(body as { error?: string; message?: string } | undefined) }
}

/** Far above all existing row ids. */
const FIRST_ID = 10_000_000

describe.each(Object.entries(stored))('%s', (_, { most, fill, tell, untell }) => {
  test(`are limited to ${most} per member: one more is refused until one is removed`, async () => {
    const w = start()
    const uid = w.memory.actors.uidOf(alice)
    const numbers = `WITH RECURSIVE ids(i) AS (SELECT ${FIRST_ID} UNION ALL SELECT i + 1 FROM ids LIMIT :rows)`
    w.db.prepare(`${numbers} INSERT INTO ${fill} FROM ids`).run({ uid, rows: most - 1 })
    expect((await say(w, tell(0))).status).toBe(200)
    const refused = await say(w, tell(1))
    expect(refused).toMatchObject({ status: 400, error: 'InvalidRequest' })
    expect(refused.message).toContain(`At most ${most} `)
    expect((await say(w, tell(1), bob)).status).toBe(200)
    expect((await say(w, untell(0))).status).toBe(200)
    expect((await say(w, tell(1))).status).toBe(200)
  })
})

const jobs = (w: ServingWorld) => countRows(w.world, "jobs WHERE kind IN ('post', 'list')")

test('bookmarks of missing posts are all stored, with a bounded number fetched per minute', async () => {
  const w = start()
  for (let i = 0; i < 700; i++)
    expect((await say(w, stored['bookmarks']!.tell(i))).status).toBe(200)
  expect(countRows(w.world, 'bookmarks')).toBe(700)
  expect(jobs(w)).toBeLessThanOrEqual(500)
  const before = jobs(w)
  await say(w, stored['bookmarks']!.tell(1_000), bob)
  expect(jobs(w)).toBe(before + 1)

  // The rest are requested when a viewer reads them.
  w.tick(61_000)
  await w.get('app.bsky.bookmark.getBookmarks', { limit: 100 }, alice)
  await expect.poll(() => jobs(w)).toBe(before + 101)
})

test('muting a list one fetch over the limit is refused as rate-limited, and succeeds a minute later', async () => {
  const w = start()
  const mute = (i: number) => say(w, stored['muted lists']!.tell(i))
  const answers = []
  for (let i = 0; i < 600; i++) answers.push(await mute(i))
  const muted = answers.filter(({ status }) => status === 200).length
  expect(muted).toBe(500)
  const refused = answers.at(-1)!
  expect(refused).toMatchObject({ status: 429, error: 'RateLimitExceeded' })
  expect(refused.headers.get('retry-after')).toBe('60')
  expect([countRows(w.world, 'list_mutes'), jobs(w)]).toEqual([500, 500])
  w.tick(61_000)
  expect((await mute(599)).status).toBe(200)
})

test('lookups of unknown accounts are limited per member and minute, across kinds of data', async () => {
  const lookups = createSharedBudget({
    buffer: createCountBuffer(64),
    windowSeconds: 60,
    each: 20,
    all: 200,
  })
  const w = start({ absent: Array.from({ length: 60 }, (_, i) => someone(i)), lookups })
  const statuses: number[] = []
  for (let i = 0; i < 50; i++) {
    const kept = Object.values(stored)[i % 5]!
    statuses.push((await say(w, kept.tell(i))).status)
  }
  expect(statuses).toEqual([...Array(20).fill(400), ...Array(30).fill(429)])
  expect((await say(w, stored['bookmarks']!.tell(50), bob)).status).toBe(400)
})
