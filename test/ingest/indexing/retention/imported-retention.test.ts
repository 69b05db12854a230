// An operator's list of follows outlasts members' acts: when the last member unfollows an account, that
// account's own follows and followers are removed, and no others.

import { afterEach, describe, expect, it } from 'vitest'
import type { FollowLine } from '../../../../src/data/store/records/follows.ts'
import { nextGcCandidate } from '../../../../src/data/store/removal/gc-candidates.ts'
import { removeMember } from '../../../../src/ingest/indexing/members/members.ts'
import { sweepCandidates } from '../../../../src/ingest/indexing/retention/sweep-candidates.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { tidAt } from '../../../support/records.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'

const SEED = Number(process.env['TEST_SEED'] ?? 137)
const IMPORTED_US = 1_700_000_000_000_000

let world: World

afterEach(() => world.dispose())

function settle(): number {
  let steps = 0
  for (; nextGcCandidate(world.db); steps++) world.run((ctx) => void sweepCandidates(ctx, 1))
  return steps
}

function namesOf(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => world.account(`${prefix}-${i}`))
}

/** Every account follows `each` others; every other line has no record key. */
function listOf(random: Random, accounts: string[], each: number): FollowLine[] {
  const lines = accounts.flatMap((did, i) =>
    Array.from({ length: each }, () => {
      const subject = accounts[(i + 1 + random.below(accounts.length - 1)) % accounts.length]!
      return { did, subject }
    }),
  )
  const pairs = new Map(lines.map((line) => [pairOf(line), line]))
  return [...pairs.values()].map((line, i) => ({
    ...line,
    rkey: i % 2 === 0 ? tidAt(IMPORTED_US + i) : undefined,
  }))
}

const pairOf = ({ did, subject }: { did: string; subject: string }) => `${did} ${subject}`

function importAll(lines: FollowLine[]): void {
  for (let at = 0; at < lines.length; at += 500) world.importFollows(lines.slice(at, at + 500))
}

/** The graph in memory; retention.test.ts compares it with rows. */
function graph(): Set<string> {
  const pairs = new Set<string>()
  const page = new Uint32Array(10_000)
  for (let uid = 1; uid <= world.actors.count; uid++) {
    const did = world.actors.didOf(uid)
    for (const subject of page.subarray(0, world.graph.follows(uid, 0, page))) {
      pairs.add(pairOf({ did, subject: world.actors.didOf(subject) }))
    }
  }
  return pairs
}

describe('an imported graph', () => {
  it('loses only the follows of the account that the last member unfollows', () => {
    world = createWorld({ members: ['reads'], scope: 'community' })
    const random = createRandom(SEED)
    const [reads, people] = [world.account('reads'), namesOf('person', 300)]
    const lines = listOf(random, people, 20)
    importAll(lines)
    const friend = people[150]!
    const befriended = world.follow(reads, friend)
    world.delete(befriended)
    const steps = settle()
    const filtered = lines.filter(({ did, subject }) => did !== friend && subject !== friend)
    expect(graph()).toEqual(new Set(filtered.map(pairOf)))
    // Only this account's edges are visited, not the whole graph.
    expect(steps).toBeLessThan(200)
  })

  it('keeps the follows of accounts that block by list or list a member', () => {
    world = createWorld({ members: ['reads'], scope: 'community' })
    const [reads, friend, lister] = ['reads', 'friend', 'lister'].map(world.account) as [
      string,
      string,
      string,
    ]
    const lines = listOf(createRandom(SEED), [lister, ...namesOf('person', 20)], 5)
    importAll(lines)
    const befriended = world.follow(reads, friend)
    const list = world.list(lister, 'a list')
    const item = world.listItem(lister, list, reads)
    world.listBlock(friend, list)
    for (const gone of [befriended, item]) {
      world.delete(gone)
      settle()
    }
    const rows = world.db.prepare('SELECT count(*) FROM list_items').pluck().get()
    expect(rows).toBe(0)
    expect(graph()).toEqual(new Set(lines.map(pairOf)))
  })

  it.each([1, 2, 3, 4])('outlasts joins and leaves between strangers, history %i', (round) => {
    world = createWorld({ members: ['stays', 'leaves'], scope: 'community' })
    const random = createRandom(SEED + round)
    const members = ['stays', 'leaves'].map(world.account)
    const [people, strangers] = [namesOf('person', 12), namesOf('stranger', 60)]
    const lines = listOf(random, [...people, ...strangers], 12)
    importAll(lines)
    const made: RecordId[] = []
    for (let i = 0; i < 400; i++) {
      const [did, subject] = [random.pick([...members, ...people]), random.pick(people)]
      if (random.below(3) > 0) made.push(world.follow(did, subject))
      else if (made.length > 0) world.delete(made.splice(random.below(made.length), 1)[0]!)
      if (i === 200) world.run((ctx) => removeMember(ctx, members[1]!))
      if (i === 300) world.restart()
      world.run((ctx) => void sweepCandidates(ctx, 5))
    }
    for (const record of made) world.delete(record)
    settle()
    const isOfStrangers = ({ did, subject }: FollowLine) =>
      strangers.includes(did) && strangers.includes(subject)
    const left = graph()
    for (const line of lines.filter(isOfStrangers)) expect(left).toContain(pairOf(line))
  })
})
