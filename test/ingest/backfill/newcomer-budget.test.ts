// What one newcomer may make this server fetch at once, in accounts and bytes; what is beyond comes later, and
// says so. Repositories on a PDS over HTTP; the database is the oracle.

import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { listMembers } from '../../../src/http/operator/members.ts'
import {
  createNewcomerBudget,
  NEWCOMER_LIMITS,
} from '../../../src/ingest/upkeep/newcomer-budget.ts'
import { type BackfillWorld, startBackfillWorld } from '../../support/backfill-world.ts'
import type { PdsAccount } from '../../support/pds-double.ts'

const HOUR_MS = 3_600_000

let world: BackfillWorld | undefined
afterEach(async () => {
  await world?.close()
  world = undefined
})

async function startWith(limits: Partial<typeof NEWCOMER_LIMITS>): Promise<BackfillWorld> {
  const coldStarts = createNewcomerBudget(Date.now, { ...NEWCOMER_LIMITS, ...limits })
  world = await startBackfillWorld({ coldStarts })
  return world
}

async function peopleOf(one: BackfillWorld, count: number): Promise<PdsAccount[]> {
  const people: PdsAccount[] = []
  for (let i = 0; i < count; i++) people.push(await one.person(`author${i}`))
  return people
}

const waiting = ({ db }: BackfillWorld, kinds: string) =>
  db.prepare<[], number>(`SELECT count(*) FROM jobs WHERE kind ${kinds}`).pluck().get()!

/** How many of these have a feed here. */
const read = (one: BackfillWorld, people: PdsAccount[]) =>
  people.filter((person) => {
    const sql = "SELECT 1 FROM backfills WHERE uid = ? AND what = 'feed'"
    return one.db.prepare(sql).get(one.uid(person)) !== undefined
  }).length

test('whom a member follows beyond the budget is one row, told, and comes later', async () => {
  const one = await startWith({ authorsOfMember: 12, authorsInAnyCase: 2 })
  const people = await peopleOf(one, 17)
  const member = await one.person('member')
  for (const person of people) {
    one.post(person)
    one.follow(member, person)
  }
  one.backfill.start()
  one.member(member)
  await expect.poll(() => one.backfill.coldStarts()[0]?.stage, { timeout: 55_000 }).toBe('done')
  // Each is one row, not one for each thing to be fetched.
  expect(waiting(one, "= 'author'")).toBeLessThanOrEqual(5)
  expect(listMembers(one.db)[0]).toMatchObject({ isComplete: true })

  const other = await one.person('other')
  for (const person of people.slice(0, 10)) one.follow(other, person)
  one.member(other)
  await one.settled()
  expect(read(one, people)).toBe(people.length)
  expect(listMembers(one.db).map((line) => line.later)).toEqual([0, 0])
})

test('the newest follows come first, and look-ups are as many as authors are fetched', async () => {
  const one = await startWith({ authorsOfMember: 8, authorsInAnyCase: 2 })
  const people = await peopleOf(one, 200)
  const member = await one.person('member')
  for (const person of people) one.follow(member, person)
  one.backfill.start()
  one.member(member)
  await expect.poll(() => one.backfill.coldStarts()[0]?.stage, { timeout: 55_000 }).toBe('done')
  expect(waiting(one, "= 'author'")).toBeGreaterThan(150)
  expect(waiting(one, "!= 'author'")).toBeLessThan(60)
  expect(one.plc.hits()).toBeLessThan(40)
  expect(listMembers(one.db)[0]!.later).toBeGreaterThan(150)
  // A page of follows is newest first.
  expect(read(one, people.slice(-8))).toBe(8)
})

test('authors of huge posts bring so many bytes and no more; ordinary ones come whole', async () => {
  const one = await startWith({ kbOfAuthor: 300 })
  const [huge, plain] = await peopleOf(one, 2)
  const member = await one.person('member')
  for (let i = 0; i < 40; i++) {
    const description = randomBytes(45_000).toString('hex')
    const external = { uri: 'https://example.org/', title: 'huge', description }
    const embed = { $type: 'app.bsky.embed.external', external }
    one.post(huge!, `huge ${i}`, { record: { embed } })
    one.post(plain!, `plain ${i}`)
  }
  for (const person of [huge!, plain!]) one.follow(member, person)
  one.backfill.start()
  one.member(member)
  await one.settled()
  const sizes = one.db.prepare<[number], { count: number; bytes: number }>(
    'SELECT count(*) AS count, total(length(record)) AS bytes FROM posts WHERE uid = ? AND state = 1',
  )
  expect(sizes.get(one.uid(huge!))!.count).toBe(3)
  expect(sizes.get(one.uid(huge!))!.bytes).toBeLessThan(300_000)
  expect(sizes.get(one.uid(plain!))!.count).toBe(40)
  expect(one.backfill.status().records['over-budget']).toBe(37)
})

test('a hundred newcomers from one address leave a newcomer from elsewhere a whole cold start', () => {
  let nowMs = Date.parse('2026-11-01T12:00:00Z')
  const budget = createNewcomerBudget(() => nowMs)
  let author = 1_000_000
  const start = (member: number, origin: string) => {
    budget.cameFrom(member, origin)
    let taken = 0
    for (let place = 0; place < 5_000; place++) {
      author += 1
      if (!budget.takesNow(member, author, place)) continue
      taken += 1
      const bytes = Math.min(budget.bytesLeft(author), 1_000_000)
      budget.spendBytes(author, bytes)
    }
    return taken
  }
  const flood = Array.from({ length: 100 }, (_, i) => start(i + 1, '203.0.113.1'))
  expect(flood[0]).toBe(2_000)
  expect(flood.reduce((sum, one) => sum + one, 0)).toBeLessThan(12_000 + 100 * 200)
  expect(Math.min(...flood)).toBe(200)
  expect(start(1_001, '198.51.100.7')).toBe(2_000)
  expect(budget.bytesLeft(author + 1)).toBeGreaterThan(1_000_000)
  nowMs += 2 * HOUR_MS
  expect(start(1_002, '203.0.113.1')).toBe(2_000)
})
