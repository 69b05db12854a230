// How much one newcomer may make this server fetch at once, in accounts and bytes; the excess is deferred and
// reported. Repositories on a PDS over HTTP; the database is the oracle.

import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { HOUR_MS } from '../../../src/base/util/durations.ts'
import { type Db, openWriter } from '../../../src/data/store/db.ts'
import { countJobs, enqueueJob } from '../../../src/data/store/fetching/jobs.ts'
import { findActor } from '../../../src/data/store/records/actors.ts'
import { transact } from '../../../src/data/store/transact.ts'
import { listMembers } from '../../../src/http/operator/members.ts'
import { internActor } from '../../../src/ingest/indexing/index-context.ts'
import { createFetchBudget } from '../../../src/ingest/upkeep/requests/fetch-budget.ts'
import { createNewcomerBudget } from '../../../src/ingest/upkeep/requests/newcomer-budget.ts'
import { type BackfillWorld, refOf, startBackfillWorld } from '../../support/backfill-world.ts'
import type { PdsAccount } from '../../support/pds-double.ts'
import { plcDid } from '../../support/plc-double.ts'
import type { Commit } from '../../support/simulated-network/repository.ts'
import { freshDataDir } from '../../support/slipstream-process.ts'

let world: BackfillWorld | undefined
let aheadMs = 0
afterEach(async () => {
  await world?.close()
  world = undefined
  aheadMs = 0
})

type Limits = Parameters<typeof createNewcomerBudget>[1]

async function startWith(limits: Limits): Promise<BackfillWorld> {
  const now = () => Date.now() + aheadMs
  const coldStarts = (db: Db) => createNewcomerBudget({ db, now }, limits)
  world = await startBackfillWorld({ coldStarts, now })
  return world
}

async function peopleOf(world: BackfillWorld, count: number): Promise<PdsAccount[]> {
  const people: PdsAccount[] = []
  for (let i = 0; i < count; i++) people.push(await world.person(`author${i}`))
  return people
}

const waiting = ({ db }: BackfillWorld, kinds: string) =>
  db.prepare<[], number>(`SELECT count(*) FROM jobs WHERE kind ${kinds}`).pluck().get()!

/** Counts the accounts whose feed is stored. */
const read = (world: BackfillWorld, people: PdsAccount[]) =>
  people.filter((person) => {
    const sql = "SELECT 1 FROM backfills WHERE uid = ? AND what = 'feed'"
    return world.db.prepare(sql).get(world.uid(person)) !== undefined
  }).length

test('follows beyond the budget are one row each, reported, and fetched later', async () => {
  const world = await startWith({ authorsOfMember: 12, authorsInAnyCase: 2 })
  const people = await peopleOf(world, 17)
  const member = await world.person('member')
  for (const person of people) {
    world.post(person)
    world.follow(member, person)
  }
  world.backfill.start()
  world.member(member)
  await expect.poll(() => world.backfill.coldStarts()[0]?.stage).toBe('done')
  // Each is one row, not one per thing to fetch.
  expect(waiting(world, "= 'author'")).toBeLessThanOrEqual(5)
  expect(listMembers(world.db, { reasonableLimit: 0 })[0]).toMatchObject({ isComplete: true })

  const other = await world.person('other')
  for (const person of people.slice(0, 10)) world.follow(other, person)
  world.member(other)
  await world.settled()
  expect(read(world, people)).toBe(people.length)
  expect(listMembers(world.db, { reasonableLimit: 0 }).map((line) => line.later)).toEqual([0, 0])
})

test('the newest follows are fetched first, and only fetched authors are looked up', async () => {
  const world = await startWith({ authorsOfMember: 8, authorsInAnyCase: 2 })
  const people = await peopleOf(world, 200)
  const member = await world.person('member')
  for (const person of people) world.follow(member, person)
  world.backfill.start()
  world.member(member)
  await expect.poll(() => world.backfill.coldStarts()[0]?.stage).toBe('done')
  expect(waiting(world, "= 'author'")).toBeGreaterThan(150)
  expect(waiting(world, "!= 'author'")).toBeLessThan(60)
  expect(world.plc.hits()).toBeLessThan(40)
  expect(listMembers(world.db, { reasonableLimit: 0 })[0]!.later).toBeGreaterThan(150)
  // A page of follows is newest first.
  expect(read(world, people.slice(-8))).toBe(8)
})

test('looks up missing accounts once, however many jobs wait for them and however slowly', async () => {
  // A cached lookup has expired at each use, as if jobs ran minutes apart.
  let lookedAt = Date.now()
  const resolverNow = () => {
    lookedAt += 120_000
    return lookedAt
  }
  world = await startBackfillWorld({ resolverNow, limits: { identities: 1 } })
  const item = world
  const nobodies = Array.from({ length: 20 }, (_, i) => ({ did: plcDid(`nobody ${i}`) }))
  const member = await item.person('member')
  for (const { did } of nobodies) {
    const createdAt = new Date().toISOString()
    const value = { createdAt, subject: did }
    member.put({ collection: 'app.bsky.graph.follow', value, atMs: Date.now() })
  }
  item.backfill.start()
  item.member(member)
  await item.settled()
  for (const { did } of nobodies) expect(item.plc.hits(did)).toBe(1)
})

test('accounts with handles on a silent server hold up no other account’s name', async () => {
  world = await startBackfillWorld({ hosts: 2 })
  const item = world
  const [silent, quick] = item.hosts
  silent!.misbehave({ method: 'resolveHandle', how: 'hang' })
  const people = await peopleOf(item, 120)
  const { did } = await item.plc.create({ handle: 'quick.other.org', pds: quick!.origin })
  quick!.create({ did, handle: 'quick.other.org' })
  let last = 0
  item.writer.commit((ctx) => {
    for (const person of people) enqueueJob(ctx.db, 'identity', internActor(ctx, person.did))
    last = internActor(ctx, did)
    enqueueJob(ctx.db, 'identity', last)
  })
  item.backfill.start()
  const isNamed = () => findActor(item.db, last)?.handle_valid === 1
  await expect.poll(isNamed).toBe(true)
  expect(silent!.stats().byMethod['com.atproto.identity.resolveHandle']).toBeLessThanOrEqual(40)
})

test('an account looked up before the directory knew it is looked up again at sign-in', async () => {
  world = await startBackfillWorld()
  const item = world
  const [follower, early] = [await item.person('follower'), await item.person('early')]
  const document = item.plc.document(early.did)
  item.plc.edit(early.did, () => undefined)
  item.post(early, 'hello')
  item.follow(follower, early)
  item.backfill.start()
  item.member(follower)
  await item.settled()
  item.plc.edit(early.did, () => document)
  item.follow(early, follower)
  item.member(early)
  await item.settled()
  const stored = item.db
    .prepare('SELECT handle, pds FROM actors WHERE uid = ?')
    .get(item.uid(early))
  expect(stored).toEqual({ handle: early.handle, pds: item.hosts[0]?.origin })
  const read = item.db.prepare("SELECT what FROM backfills WHERE uid = ? AND what = 'feed'")
  expect(read.get(item.uid(early))).toBeDefined()
})

const HUGE = 10

/** Writes ten posts of 90 kB each. */
function postHugely(world: BackfillWorld, author: PdsAccount): Commit[] {
  return Array.from({ length: HUGE }, (_, i) => {
    const description = randomBytes(45_000).toString('hex')
    const external = { uri: 'https://example.org/', title: 'huge', description }
    const embed = { $type: 'app.bsky.embed.external', external }
    return world.post(author, `huge ${i}`, { record: { embed } })
  })
}

const postsOf = (world: BackfillWorld, person: PdsAccount) =>
  world.db
    .prepare<[number], number>('SELECT count(*) FROM posts WHERE uid = ? AND state = 1')
    .pluck()
    .get(world.uid(person))!

test('huge posts are limited by bytes per hour; the rest is reported, and fetched hour by hour', async () => {
  const world = await startWith({ kbOfAuthor: 300 })
  const [huge, plain] = await peopleOf(world, 2)
  const member = await world.person('member')
  postHugely(world, huge!)
  for (let i = 0; i < 40; i++) world.post(plain!, `plain ${i}`)
  for (const person of [huge!, plain!]) world.follow(member, person)
  world.backfill.start()
  world.member(member)
  await expect.poll(() => world.backfill.coldStarts()[0]?.stage).toBe('done')
  expect(postsOf(world, plain!)).toBe(40)
  expect(world.counts.read()['fetched']?.['over-budget']).toBe(HUGE - 3)
  const due = world.db
    .prepare<[], number>("SELECT not_before FROM jobs WHERE kind = 'rest'")
    .pluck()
  expect(due.get()! - Date.now()).toBeGreaterThan(HOUR_MS / 2)
  for (const here of [3, 6, 9]) {
    expect(postsOf(world, huge!)).toBe(here)
    expect(listMembers(world.db, { reasonableLimit: 0 })[0]).toMatchObject({
      isComplete: true,
      recordsLater: HUGE - here,
    })
    aheadMs += 2 * HOUR_MS
    await expect.poll(() => postsOf(world, huge!)).toBeGreaterThan(here)
    await expect.poll(() => Object.keys(countJobs(world.db))).toEqual(here < 9 ? ['rest'] : [])
  }
  expect(postsOf(world, huge!)).toBe(HUGE)
  expect(listMembers(world.db, { reasonableLimit: 0 })[0]!.recordsLater).toBe(0)
})

test('a record larger than any hour’s budget is not requested repeatedly', async () => {
  const world = await startWith({ kbOfAuthor: 20 })
  const huge = await world.person('huge')
  const member = await world.person('member')
  postHugely(world, huge)
  world.follow(member, huge)
  world.backfill.start()
  world.member(member)
  await expect.poll(() => world.backfill.coldStarts()[0]?.stage).toBe('done')
  expect(waiting(world, "= 'rest'")).toBe(1)
  aheadMs += 2 * HOUR_MS
  await world.restart()
  await world.settled()
  expect(postsOf(world, huge)).toBe(0)
  expect(listMembers(world.db, { reasonableLimit: 0 })[0]!.recordsLater).toBe(HUGE)
})

test('a restart does not reset an author’s hourly budget or its accounting', async () => {
  const world = await startWith({ kbOfAuthor: 300 })
  const huge = await world.person('huge')
  const member = await world.person('member')
  postHugely(world, huge)
  world.follow(member, huge)
  world.backfill.start()
  world.member(member)
  await expect.poll(() => world.backfill.coldStarts()[0]?.stage).toBe('done')
  for (let starts = 0; starts < 3; starts++) {
    await world.restart()
    enqueueJob(world.db, 'feed', world.uid(huge))
    const jobs = () => countJobs(world.db)
    await expect.poll(jobs).toEqual({ rest: 1 })
    expect(postsOf(world, huge)).toBe(3)
  }
  expect(listMembers(world.db, { reasonableLimit: 0 })[0]!.recordsLater).toBe(HUGE - 3)
})

test('viewing a stranger’s page fetches no more than following an author', async () => {
  const world = await startWith({ kbOfAuthor: 300 })
  const [huge, plain] = [await world.person('huge'), await world.person('plain')]
  const member = await world.person('member')
  const small = world.post(huge, 'small')
  const oldest = postHugely(world, huge)[0]!
  for (let i = 0; i < 40; i++) world.post(plain, `plain ${i}`)
  world.backfill.start()
  world.member(member)
  await world.settled()
  const look = (...uris: string[]) => {
    const request = { did: member.did, uris, dids: [] }
    world.writer.commit((ctx) => void createFetchBudget().want(ctx, request))
    world.backfill.wake()
    return world.settled()
  }
  await look(...[huge, plain].map(({ did }) => `at://${did}/app.bsky.feed.post`))
  expect(postsOf(world, plain)).toBe(40)
  expect(postsOf(world, huge)).toBe(3)
  await look(refOf(oldest).uri)
  expect(postsOf(world, huge)).toBe(3)
  await look(refOf(small).uri)
  expect(postsOf(world, huge)).toBe(4)
})

test('a hundred newcomers from one address leave a newcomer from elsewhere a whole cold start', () => {
  let nowMs = Date.parse('2026-11-01T12:00:00Z')
  const dataDir = freshDataDir()
  const db = openWriter(dataDir)
  const budget = createNewcomerBudget({ db, now: () => nowMs })
  let author = 1_000_000
  const start = (member: number, origin: string) => {
    let taken = 0
    transact(db, () => {
      taken = comeIn(member, origin)
    })
    return taken
  }
  const comeIn = (member: number, origin: string) => {
    budget.cameFrom(member, origin)
    let taken = 0
    for (let position = 0; position < 5_000; position++) {
      author += 1
      if (!budget.takesNow(db, { member, author, rank: position })) continue
      taken += 1
      const bytes = Math.min(budget.bytesLeft(author), 1_000_000)
      budget.spendBytes(db, author, bytes)
    }
    return taken
  }
  const flood = Array.from({ length: 100 }, (_, i) => start(i + 1, '203.0.113.1'))
  expect(flood[0]).toBe(2_000)
  expect(flood.reduce((sum, value) => sum + value, 0)).toBeLessThan(12_000 + 100 * 200)
  expect(Math.min(...flood)).toBe(200)
  expect(start(1_001, '198.51.100.7')).toBe(2_000)
  budget.cameFrom(1_003, '198.51.100.8')
  budget.looksAt(db, 1_003, author + 1)
  expect(budget.bytesLeft(author + 1)).toBe(1_000_000)
  nowMs += 2 * HOUR_MS
  expect(start(1_002, '203.0.113.1')).toBe(2_000)
  db.close()
  rmSync(dataDir, { recursive: true })
})
