// What members make us fetch by viewing it: jobs are limited per member and in total, however many records a
// hostile feed refers to.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCountBuffer } from '../../../../src/data/shared-memory/count-table.ts'
import { createSharedBudget } from '../../../../src/data/shared-memory/shared-budget.ts'
import { putFeedDepth } from '../../../../src/data/store/fetching/feed-depths.ts'
import { createFetchRequests } from '../../../../src/http/xrpc/waiting/fetch-requests.ts'
import { createWriterRequests } from '../../../../src/ingest/upkeep/requests/writer-requests.ts'
import { plcDid } from '../../../support/plc-double.ts'
import { countRows } from '../../../support/rows.ts'
import { createWorld, type World } from '../../../support/world.ts'

const A_PAGE = 100

let world: World
let answer: ReturnType<typeof createWriterRequests>

beforeEach(() => {
  world = createWorld({})
  answer = createWriterRequests({
    writer: world.writer,
    openTimeline: () => undefined,
    wakeBackfill: () => undefined,
  })
})
afterEach(() => world.dispose())

/** Views a feed's page of missing posts, by as many strangers. */
function look(member: string, page: number) {
  const dids = Array.from({ length: A_PAGE }, (_, i) => plcDid(`${page} ${i}`))
  const uris = dids.map((did) => `at://${did}/app.bsky.feed.post/3kabcdefghi2a`)
  return answer({ kind: 'fetch-requested', id: page, did: world.account(member), uris, dids })
}

const jobs = () => countRows(world, 'jobs')

test('twenty pages of a feed of strangers cost some hundred jobs, and the first page is complete', () => {
  expect(look('mallory', 0).ok).toBe(true)
  const firstPage = jobs()
  expect(firstPage).toBe(A_PAGE * 4)
  const replies = Array.from({ length: 20 }, (_, page) => look('mallory', page))
  expect(jobs()).toBeLessThanOrEqual(505)
  expect(replies[0]).toMatchObject({ ok: true })
  expect(replies.at(-1)).toMatchObject({ ok: false, error: 'FetchLimitError' })
  // Posts beyond the budget do not even get a row.
  expect(countRows(world, 'posts')).toBeLessThan(3 * A_PAGE)

  expect(look('alice', 100).ok).toBe(true)
  world.tick(61_000)
  expect(look('mallory', 101).ok).toBe(true)
})

test('a member can open twenty strangers’ pages a minute, each one job at first', () => {
  const did = world.account('mallory')
  const open = (i: number) =>
    answer({
      kind: 'fetch-requested',
      id: i,
      did,
      dids: [],
      uris: [`at://${plcDid(`opened ${i}`)}/app.bsky.feed.post`],
    })
  const replies = Array.from({ length: 30 }, (_, i) => open(i))
  expect(replies.filter(({ ok }) => ok)).toHaveLength(20)
  expect(jobs()).toBe(20)
  world.tick(61_000)
  expect(open(30).ok).toBe(true)
})

test('an older page costs as much, and is fetched only where the last fetch ended', () => {
  const did = world.account('mallory')
  const stranger = plcDid('read')
  const open = (page: string) =>
    answer({
      kind: 'fetch-requested',
      id: 1,
      did,
      dids: [],
      uris: [`at://${stranger}/app.bsky.feed.post${page}`],
    })
  const older = () => countRows(world, "jobs WHERE kind = 'older'")
  expect(open('?before=1000').ok).toBe(true)
  expect(older()).toBe(0)
  const uid = world.actors.uidOf(stranger)
  putFeedDepth(world.db, uid, 1, { cursor: 'below', oldestAt: 1_000, pages: 0 })
  open('?before=2000')
  expect(older()).toBe(0)
  for (let i = 0; i < 30; i++) {
    open('?before=1000')
    world.db.prepare('DELETE FROM jobs').run()
  }
  expect(open('?before=1000').ok).toBe(false)
  world.tick(61_000)
  putFeedDepth(world.db, uid, 1, { cursor: 'far below', oldestAt: 1_000, pages: 20 })
  expect(open('?before=1000').ok).toBe(true)
  expect(older()).toBe(0)
})

test('ten such members leave room for one more, and a hundred a bounded queue', () => {
  let page = 0
  for (let minute = 0; minute < 3; minute++) {
    const count = minute === 0 ? 10 : 100
    for (let i = 0; i < count; i++) for (let k = 0; k < 2; k++) look(`mallory${i}`, page++)
    if (minute === 0) {
      const before = jobs()
      look('alice', page++)
      expect(jobs()).toBeGreaterThan(before)
    }
    world.tick(61_000)
  }
  const waiting = 'SELECT count(*) FROM jobs WHERE priority = 10'
  expect(world.db.prepare(waiting).pluck().get()).toBeLessThanOrEqual(5_003)
  expect(jobs()).toBeLessThanOrEqual(10_000)
})

test('unknown accounts are looked up within a budget, each once', async () => {
  let lookedUp = 0
  const wanted = createFetchRequests({
    actors: { uidOf: () => 0 },
    resolver: {
      resolve: async () => {
        lookedUp += 1
        return undefined
      },
    },
    writer: { send: () => Promise.reject(new Error('no request is expected')) },
    lookups: createSharedBudget({
      buffer: createCountBuffer(64),
      windowSeconds: 60,
      each: 200,
      all: 2_000,
    }),
    now: world.now,
  })
  const ask = (did: string, page: number) => {
    const dids = Array.from({ length: A_PAGE }, (_, i) => plcDid(`${page} ${i}`))
    return wanted.ask({ uid: 1, did }, { dids })
  }
  for (let page = 0; page < 20; page++) await ask('did:plc:mallory', page)
  expect(lookedUp).toBe(200)
  await ask('did:plc:alice', 100)
  expect(lookedUp).toBe(250)
  world.tick(61_000)
  await ask('did:plc:mallory', 101)
  expect(lookedUp).toBe(300)
})
