// A newcomer's pages during their cold start: the rows that the ingest thread would write are written by
// hand, and the rest is the real server over a real database.

import { afterEach, expect, test, vi } from 'vitest'
import { DAY_MS } from '../../../../src/base/util/durations.ts'
import {
  COLD_START,
  MILESTONES,
  putBackfill,
} from '../../../../src/data/store/fetching/backfills.ts'
import {
  bringJobsForward,
  enqueueJob,
  failJob,
  takeJobs,
} from '../../../../src/data/store/fetching/jobs.ts'
import { memberSeen, removeMember } from '../../../../src/ingest/indexing/members/members.ts'
import { didOf } from '../../../support/records.ts'
import { createServingWorld, type ServingWorld } from '../../../support/serving-world.ts'
import type { RecordId } from '../../../support/world.ts'

const NSID = 'app.bsky.feed.getTimeline'
const FEED = 'app.bsky.feed.getFeed'
const DISCOVER = 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot'

type Page = { feed: { post: { uri: string } }[]; cursor?: string }

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map(didOf) as [string, string, string]

let world: ServingWorld
let followed: RecordId
afterEach(() => world.dispose())

function start(firstPageMaxWaitMs: number, startAt = Date.now()): ServingWorld {
  world = createServingWorld({ members: ['alice'], scope: 'network', firstPageMaxWaitMs, startAt })
  followed = world.follow(alice, bob)
  world.handle(bob, 'bob.test')
  return world
}

/** Marks everything since then as fetched. */
function reachLatest(since: number): void {
  const row = { rev: String(since), finished_at: 1 }
  putBackfill(world.db, world.uid(alice), MILESTONES.latest, row)
}

function reach(...what: string[]): void {
  for (const value of what) {
    putBackfill(world.db, world.uid(alice), value, { rev: null, finished_at: 1 })
  }
}

const read = (query: { limit?: number; cursor?: string } = {}, viewer = alice) =>
  world.get<Page>(NSID, query, viewer)
const uris = ({ feed }: Page) => feed.map(({ post }) => post.uri)

/** Not an assertion about time: long enough for a request to reach the point where it waits. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 300))

/** Tracks whether the page is answered, without waiting for it. */
function watched(page: Promise<Page>): { page: Promise<Page>; isAnswered: boolean } {
  const state = { page, isAnswered: false }
  void page.then(() => {
    state.isAnswered = true
  })
  return state
}

test('an empty page is not the last, and its cursor leads to the backlog', async () => {
  const w = start(1)
  const first = await read()
  expect(first).toMatchObject({ feed: [], cursor: expect.stringMatching(/^\d+__b/) })
  const createdAt = new Date(w.now() - DAY_MS).toISOString()
  const post = w.post(bob, { createdAt })
  const second = await read({ cursor: first.cursor! })
  expect(uris(second)).toEqual([post.uri])
  const third = await read({ cursor: second.cursor! })
  expect(third).toEqual({ feed: [], cursor: second.cursor })
  reach(MILESTONES.posts)
  expect(await read({ cursor: third.cursor! })).toEqual({ feed: [] })
})

test('an item arriving while a page is read does not make it the last', async () => {
  const w = start(1)
  const { cursor } = await read()
  const { timelines } = w.memory
  const readRing = timelines.read.bind(timelines)
  const reading = vi.spyOn(timelines, 'read')
  // The page itself is read last, after the wait.
  expect(await read({ cursor: cursor! })).toEqual({ feed: [], cursor })
  const last = reading.mock.calls.length
  reading.mockClear().mockImplementation((...requested) => {
    const found = readRing(...requested)
    if (reading.mock.calls.length === last) {
      w.post(bob, { createdAt: new Date(w.now() - DAY_MS).toISOString() })
      reach(MILESTONES.posts)
    }
    return found
  })
  expect(await read({ cursor: cursor! })).toEqual({ feed: [], cursor })
  const next = await read({ cursor: cursor! })
  expect(next.feed).toHaveLength(1)
  expect(next.cursor).toBeUndefined()
})

test('a new viewer, known or not, gets no end of the timeline', async () => {
  const w = start(1)
  w.post(carol)
  for (const viewer of [carol, didOf('unheard-of')]) {
    expect((await read({}, viewer)).cursor).toBeDefined()
  }
})

test('a first page waits until it is full and no newer item can still arrive', async () => {
  const w = start(60_000)
  for (let i = 0; i < 3; i++) w.post(bob)
  const page = watched(read({ limit: 3 }))
  await aWhile()
  expect(page.isAnswered).toBe(false)
  const newest = w.post(bob)
  reach(MILESTONES.newest)
  expect(uris(await page.page)[0]).toBe(newest.uri)
})

test('a full page is sent once everything newer than its end is known', async () => {
  const w = start(60_000)
  const [oldest, , newest] = [w.post(bob), w.post(bob), w.post(bob)]
  const page = watched(read({ limit: 3 }))
  reachLatest(w.now() + DAY_MS)
  await aWhile()
  expect(page.isAnswered).toBe(false)
  reachLatest(w.now() - DAY_MS)
  expect(uris(await page.page)).toEqual([newest!.uri, expect.any(String), oldest!.uri])
})

test('a page that is not full keeps waiting, although all the newest posts are known', async () => {
  const w = start(60_000)
  w.post(bob)
  reachLatest(0)
  const page = watched(read({ limit: 3 }))
  await aWhile()
  expect(page.isAnswered).toBe(false)
  reach(MILESTONES.newest, MILESTONES.feeds)
  expect((await page.page).feed).toHaveLength(1)
})

test('a full page is sent in time even if one server delays the newest posts', async () => {
  const w = start(60_000)
  for (let i = 0; i < 3; i++) w.post(bob)
  const full = watched(read({ limit: 3 }))
  const short = watched(read({ limit: 4 }))
  expect((await full.page).feed).toHaveLength(3)
  expect(short.isAnswered).toBe(false)
  reach(COLD_START)
  await short.page
})

test('a page reaching below the last hours waits for the feeds too', async () => {
  const w = start(60_000, Date.now() - 3 * DAY_MS)
  for (let i = 0; i < 3; i++) w.post(bob)
  reach(MILESTONES.newest)
  const page = watched(read({ limit: 3 }))
  await aWhile()
  expect(page.isAnswered).toBe(false)
  reach(MILESTONES.feeds)
  expect((await page.page).feed).toHaveLength(3)
})

test('a short page is sent once all feeds were tried, and is not the last', async () => {
  const w = start(60_000)
  const post = w.post(bob)
  reach(MILESTONES.newest, MILESTONES.feeds)
  const page = await read()
  expect(uris(page)).toEqual([post.uri])
  expect(page.cursor).toBeDefined()
  reach(MILESTONES.posts)
  expect((await read()).cursor).toBeUndefined()
})

test('a full page further down does not wait', async () => {
  const w = start(60_000)
  const [oldest, older, newest] = [w.post(bob), w.post(bob), w.post(bob)]
  reach(MILESTONES.newest)
  const first = await read({ limit: 1 })
  expect(uris(first)).toEqual([newest!.uri])
  const second = await read({ limit: 1, cursor: first.cursor! })
  expect(uris(second)).toEqual([older!.uri])
  expect(oldest).toBeDefined()
})

test('a viewer without follows gets an empty timeline as soon as that is known', async () => {
  start(60_000)
  world.delete(followed)
  const page = watched(read())
  await aWhile()
  expect(page.isAnswered).toBe(false)
  reach(MILESTONES.newest, MILESTONES.feeds, MILESTONES.posts)
  expect(await page.page).toEqual({ feed: [] })
})

test('a viewer whose cold start is over is answered at once', async () => {
  start(60_000)
  reach(COLD_START)
  expect(await read()).toEqual({ feed: [] })
})

test('only a few requests per account wait; the others get what there is, and a cursor', async () => {
  start(60_000)
  const waiting = Array.from({ length: 4 }, () => watched(read()))
  await aWhile()
  expect((await read()).cursor).toBeDefined()
  expect(waiting.some(({ isAnswered }) => isAnswered)).toBe(false)
  reach(COLD_START)
  for (const { page } of waiting) expect(await page).toEqual({ feed: [] })
})

test('an invalid cursor is refused without waiting', async () => {
  start(60_000)
  expect((await world.ask(NSID, { cursor: 'nonsense' }, alice)).status).toBe(400)
})

test('after a timeout, later requests wait only briefly until the cold start advances', async () => {
  start(3_000)
  expect(await read()).toMatchObject({ feed: [], cursor: expect.any(String) })
  const other = watched(read({}, carol))
  await read()
  expect(other.isAnswered).toBe(false)
  await other.page
  reach(MILESTONES.newest)
  const again = watched(read())
  await aWhile()
  await aWhile()
  await aWhile()
  expect(again.isAnswered).toBe(false)
  await again.page
})

test('requests wait for the viewer’s own server while it is asked, not while it backs off', async () => {
  const w = start(50_000)
  enqueueJob(w.db, 'member', w.uid(alice))
  const [job] = takeJobs(w.db, w.now(), 1)
  const waiting = watched(read())
  await aWhile()
  expect(waiting.isAnswered).toBe(false)
  failJob(w.db, job!, { error: 'refused', now: w.now(), retryAfterMs: 10 * 60_000 })
  expect(await waiting.page).toMatchObject({ feed: [], cursor: expect.any(String) })
  expect(await read()).toMatchObject({ feed: [], cursor: expect.any(String) })
  bringJobsForward(w.db, 10 * 60_000)
  expect(takeJobs(w.db, w.now(), 1)).toHaveLength(1)
  const again = watched(read({}, alice))
  await aWhile()
  expect(again.isAnswered).toBe(false)
  reach(COLD_START)
  expect(await again.page).toEqual({ feed: [] })
})

test('a finished cold start is not read again, until the member is removed and returns', async () => {
  const w = start(1)
  reach(COLD_START)
  expect(await read()).toEqual({ feed: [] })
  // By hand, so the server is not notified.
  w.db.prepare('DELETE FROM backfills').run()
  expect(await read()).toEqual({ feed: [] })
  reach(COLD_START)
  w.run((ctx) => removeMember(ctx, alice))
  w.run((ctx) => memberSeen(ctx, alice))
  expect((await read()).cursor).toBeDefined()
  reach(COLD_START)
  expect(await read()).toEqual({ feed: [] })
})

test('what arrives above the pages that a client has read comes first in Discover', async () => {
  const w = start(1)
  const posts = Array.from({ length: 4 }, () => w.post(bob, { createdAt: daysAgo(2) }))
  const first = await read({ limit: 2 })
  const late = w.post(bob, { createdAt: daysAgo(1) })
  const second = await read({ limit: 2, cursor: first.cursor! })
  reach(MILESTONES.posts)
  const { cursor } = await read({ cursor: second.cursor! })
  expect(cursor).toBeUndefined()
  const visible = [...first.feed, ...second.feed].map(({ post }) => post.uri)
  expect(visible.toSorted()).toEqual(posts.map(({ uri }) => uri).toSorted())
  const discover = async (limit: number) =>
    uris(await w.get<Page>(FEED, { feed: DISCOVER, limit }, alice))
  expect(await discover(1)).toEqual([late.uri])
  expect(await discover(3)).toEqual([late.uri, ...visible.slice(0, 2)])
  // A page of one only looks whether there is something new.
  await read({ limit: 1 })
  expect(await discover(1)).toEqual([late.uri])
  await read({ limit: 2 })
  const live = w.post(bob)
  expect(await discover(2)).toEqual([live.uri, late.uri])
})

const daysAgo = (days: number) => new Date(world.now() - days * DAY_MS).toISOString()
