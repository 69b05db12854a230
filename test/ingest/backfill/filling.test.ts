// How full a new member's timeline gets, and what a later follow fetches. Repositories are the oracle, as
// everywhere in this folder.

import { afterEach, describe, expect, it } from 'vitest'
import { unpackRkey } from '../../../src/base/atproto/keys.ts'
import { DAY_MS, HOUR_MS } from '../../../src/base/util/durations.ts'
import { likeEdges } from '../../../src/data/store/edges/all-edges.ts'
import {
  type BackfillWorld,
  type BackfillWorldOptions,
  refOf,
  startBackfillWorld,
} from '../../support/backfill-world.ts'
import { until } from '../../support/eventually.ts'
import type { PdsAccount } from '../../support/pds-double.ts'

const POST = 'app.bsky.feed.post'
const FOLLOW = 'app.bsky.graph.follow'

let world: BackfillWorld

afterEach(() => world.close())

async function start(options: BackfillWorldOptions): Promise<PdsAccount> {
  world = await startBackfillWorld({ timelineLength: 5_000, ...options })
  return world.person('member')
}

/** Creates accounts with the given numbers of posts, an hour apart up to now. */
async function writers(counts: number[]): Promise<PdsAccount[]> {
  const people: PdsAccount[] = []
  for (const [i, count] of counts.entries()) {
    const person = await world.person(`writer${i}`)
    for (let n = count; n > 0; n--)
      world.post(person, `post ${n}`, { atMs: Date.now() - n * HOUR_MS })
    people.push(person)
  }
  return people
}

/** Keys of the stored posts, newest first. */
function held(account: PdsAccount): string[] {
  return world.db
    .prepare<[number], never>(
      'SELECT rkey FROM posts WHERE uid = ? AND state = 1 ORDER BY sort_at DESC',
    )
    .pluck()
    .all(world.uid(account))
    .map(unpackRkey)
}

function newest(account: PdsAccount, count: number): string[] {
  const keys = [...(account.collections.get(POST)?.keys() ?? [])]
  return keys.sort().reverse().slice(0, count)
}

function timelineOf(account: PdsAccount) {
  return world.memory.timelines.read(world.uid(account), undefined, 10_000)?.entries ?? []
}

function coldStart(account: PdsAccount) {
  return world.backfill.coldStarts().find(({ did }) => did === account.did)
}

describe('a new member’s timeline', () => {
  it('is filled with older posts up to its target, newest of each author first, and no further', async () => {
    const member = await start({ limits: { timelineTarget: 900 } })
    const people = await writers([450, 450, 450])
    for (const person of people) world.follow(member, person)
    world.backfill.start()
    world.member(member)
    await until(() => coldStart(member)?.stage === 'done')
    expect(timelineOf(member).length).toBeGreaterThanOrEqual(900)
    for (const person of people) {
      const keys = held(person)
      expect(keys.length).toBeLessThanOrEqual(400)
      expect(keys).toEqual(newest(person, keys.length))
    }
    expect(coldStart(member)).toMatchObject({
      timelineItems: 900,
      timelineTarget: 900,
      replay: { state: 'done', percent: 100 },
      authors: { done: 3, total: 3 },
      complete: { done: 3, total: 3 },
      follows: { done: 3, total: 3 },
    })
  })

  it('holds all posts if there are fewer', async () => {
    const member = await start({ limits: { timelineTarget: 2_000 } })
    const people = await writers([250, 3, 120])
    for (const person of people) world.follow(member, person)
    world.backfill.start()
    world.member(member)
    await until(() => coldStart(member)?.stage === 'done')
    expect(timelineOf(member)).toHaveLength(373)
    expect(coldStart(member)).toMatchObject({ timelineItems: 373 })
  })

  it('continues filling after a restart, from where it was', async () => {
    const member = await start({ limits: { timelineTarget: 700 } })
    const [person] = (await writers([900])) as [PdsAccount]
    world.follow(member, person)
    world.hosts[0]!.lag(15)
    world.backfill.start()
    world.member(member)
    await until(() => held(person).length >= 300)
    await world.restart()
    await until(() => held(person).length >= 500)
    await world.restart()
    await until(() => coldStart(member)?.stage === 'done')
    const keys = held(person)
    expect(keys.length).toBeGreaterThanOrEqual(700)
    expect(keys).toEqual(newest(person, keys.length))
  })

  it('that is full defers the feeds of other authors, but still fetches them', async () => {
    const member = await start({ limits: { timelineTarget: 30, perHost: 2 } })
    const people = await writers(Array.from({ length: 25 }, () => 12))
    for (const person of people) world.follow(member, person)
    world.hosts[0]!.lag(15)
    world.backfill.start()
    world.member(member)
    const spare = world.db
      .prepare<[], number>("SELECT count(*) FROM jobs WHERE kind = 'feed' AND priority > 20")
      .pluck()
    await until(() => spare.get()! > 0)
    await world.settled()
    for (const person of people) expect(held(person)).toHaveLength(12)
  })
})

describe('a later follow', () => {
  it('adds the new author’s posts, their last hours too; an unfollow removes them again', async () => {
    const member = await start({ replays: true })
    const [friend, author] = (await writers([5, 130])) as [PdsAccount, PdsAccount]
    world.follow(member, friend)
    world.backfill.start()
    world.member(member)
    await world.settled()
    const [post] = newest(friend, 1)
    const record = friend.collections.get(POST)!.get(post!)!
    const subject = { uri: `at://${friend.did}/${POST}/${post}`, cid: record.cid }
    const like = (atMs: number) => {
      const value = { subject, createdAt: new Date(atMs).toISOString() }
      return author.put({ collection: 'app.bsky.feed.like', value, atMs })
    }
    for (const days of [90, 80, 70])
      for (let i = 0; i < 60; i++) like(Date.now() - days * DAY_MS + i)
    for (let i = 0; i < 5; i++) like(Date.now() - i * HOUR_MS)
    const repost = world.repost(author, { ...refToCommit(friend, post!) }, Date.now())
    world.follow(author, friend)
    const follow = world.follow(member, author, Date.now())
    world.live(follow)
    await world.settled()
    const uid = world.uid(author)
    expect(held(author).length).toBeGreaterThanOrEqual(100)
    expect(
      timelineOf(member).filter(({ originator }) => originator === uid).length,
    ).toBeGreaterThan(100)
    expect(likeEdges.subjectsOf(world.db, uid)).toHaveLength(1)
    const rows = world.db.prepare('SELECT 1 FROM profiles WHERE uid = ?').all(uid)
    expect(rows).toHaveLength(1)
    expect(world.memory.graph.has(uid, world.uid(friend))).toBe(true)
    expect(refOf(repost).uri).toContain(author.did)
    world.live(member.remove(FOLLOW, follow.rkey, Date.now()))
    expect(timelineOf(member).filter(({ originator }) => originator === uid)).toEqual([])
  })
})

function refToCommit(account: PdsAccount, rkey: string) {
  const { cid, value } = account.collections.get(POST)!.get(rkey)!
  return {
    ...({ kind: 'commit', did: account.did, rev: account.rev, collection: POST, rkey } as const),
    ...({ operation: 'create', cid, record: value } as const),
  }
}
