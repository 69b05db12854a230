// Milestones of a cold start's posts, stored for the threads that answer requests.

import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  COLD_START_BEGUN,
  findBackfill,
  MILESTONES,
} from '../../../src/data/store/fetching/backfills.ts'
import { enqueueJobAgain } from '../../../src/data/store/fetching/jobs.ts'
import { type BackfillWorld, startBackfillWorld } from '../../support/backfill-world.ts'
import { MAX_WAIT_MS } from '../../support/patience.ts'
import type { PdsAccount } from '../../support/pds-double.ts'

const HALF_AN_HOUR_MS = 30 * 60_000

let world: BackfillWorld
let member: PdsAccount
/** How far the clock is ahead. */
let laterMs: number

beforeEach(() => start())
afterEach(() => world.close())

/** With `replays`, the last hours are awaited from the stream, and never arrive. */
async function start(replays = false): Promise<void> {
  laterMs = 0
  world = await startBackfillWorld({ hosts: 2, replays, now: () => Date.now() + laterMs })
  member = await world.person('member')
}

async function startAnew(): Promise<void> {
  await world.close()
  await start(true)
}

type Milestone = keyof typeof MILESTONES

function reached(): Milestone[] {
  const names = Object.keys(MILESTONES) as Milestone[]
  const uid = world.uid(member)
  return names.filter((name) => findBackfill(world.db, uid, MILESTONES[name]))
}

async function until(milestone: Milestone): Promise<void> {
  await expect.poll(reached, { timeout: MAX_WAIT_MS, interval: 50 }).toContain(milestone)
}

/** Counts the stored posts of these accounts. */
function posts(...accounts: PdsAccount[]): number {
  const count = world.db
    .prepare<[number], number>('SELECT count(*) FROM posts WHERE uid = ? AND state = 1')
    .pluck()
  return accounts.reduce((sum, value) => sum + count.get(world.uid(value))!, 0)
}

it('no milestone is reached while the follow list is unknown', async () => {
  let listed: Milestone[] | undefined
  world.hosts[0]!.onRequest(({ method, query }) => {
    if (method.endsWith('listRecords') && query['collection'] === 'app.bsky.graph.follow')
      listed = reached()
  })
  world.backfill.start()
  world.member(member)
  await until('posts')
  expect(listed).toEqual([])
  expect(reached()).toEqual(['latest', 'newest', 'feeds', 'posts'])
})

it('at the last milestone every followed account’s posts are stored', async () => {
  const friends = await Promise.all([1, 2, 3].map((i) => world.person(`friend${i}`, i % 2)))
  for (const friend of friends) {
    for (let i = 0; i < 5; i++) world.post(friend)
    world.follow(member, friend)
  }
  world.backfill.start()
  world.member(member)
  await until('posts')
  expect(posts(...friends)).toBe(15)
})

it('the newest posts of every followed account are read first, by light requests', async () => {
  await startAnew()
  const near = await world.person('near')
  const far = await world.person('far', 1)
  const at = Date.now() - 3 * 86_400_000
  for (const friend of [near, far]) {
    for (let i = 0; i < 40; i++) world.post(friend, `${i}`, { atMs: at + i * 60_000 })
    world.follow(member, friend)
  }
  const listed: string[] = []
  let reachedByLight: Milestone[] | undefined
  for (const host of world.hosts)
    host.onRequest(({ method, query }) => {
      const { collection, limit, repo } = query
      const isFeed = /feed\.(re)?post$/.test(collection ?? '')
      if (!method.endsWith('listRecords') || !isFeed || repo === member.did) return
      if (listed.length === 4) reachedByLight = reached()
      listed.push(`${collection} ${limit}`)
    })
  world.backfill.start()
  world.member(member)
  await until('newest')
  const light = ['app.bsky.feed.post 10', 'app.bsky.feed.repost 10']
  expect(listed.slice(0, 4).toSorted()).toEqual([...light, ...light].toSorted())
  expect(reachedByLight).not.toContain('newest')
})

it('an account whose newest posts are all recent is read further back', async () => {
  await startAnew()
  const busy = await world.person('busy')
  const at = Date.now() - 60 * 60_000
  for (let i = 0; i < 40; i++) world.post(busy, `${i}`, { atMs: at + i * 60_000 })
  world.follow(member, busy)
  world.backfill.start()
  world.member(member)
  await until('latest')
  expect(posts(busy)).toBe(40)
})

it('a failing server is not waited for, but may still deliver posts', async () => {
  const near = await world.person('near')
  const far = await world.person('far', 1)
  for (const friend of [near, far]) {
    world.post(friend)
    world.follow(member, friend)
  }
  world.hosts[1]!.misbehave({ how: { status: 500 } })
  world.backfill.start()
  world.member(member)
  await until('feeds')
  expect(posts(near)).toBe(1)
  expect(reached()).toEqual(['latest', 'newest', 'feeds'])
})

it.each([
  ['their own server', () => world.hosts[0]!.misbehave({ how: { status: 500 } })],
  ['the directory', () => world.plc.failWith(500)],
])(
  'pages reach their end eventually if %s stays away, however often it is retried',
  async (_, fail) => {
    fail()
    world.backfill.start()
    world.member(member)
    const uid = world.uid(member)
    await expect.poll(() => findBackfill(world.db, uid, COLD_START_BEGUN)).toBeDefined()
    laterMs = HALF_AN_HOUR_MS / 2
    enqueueJobAgain(world.db, 'member', uid)
    await world.restart()
    expect(reached()).toEqual([])
    laterMs = HALF_AN_HOUR_MS
    enqueueJobAgain(world.db, 'member', uid)
    await until('posts')
    expect(reached()).toEqual(['latest', 'newest', 'feeds', 'posts'])
  },
)
