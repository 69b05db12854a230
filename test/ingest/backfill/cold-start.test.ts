// A member's first sign-in, from an empty database: the result is compared with the repositories themselves.

import { afterEach, describe, expect, it } from 'vitest'
import { unpackCid, unpackRkey } from '../../../src/base/atproto/keys.ts'
import { DAY_MS } from '../../../src/base/util/durations.ts'
import { blockEdges } from '../../../src/data/store/edges/all-edges.ts'
import { countJobs } from '../../../src/data/store/fetching/jobs.ts'
import { isRepostItem, rowIdOf } from '../../../src/data/store/timelines/item-ids.ts'
import {
  type BackfillWorld,
  type BackfillWorldOptions,
  startBackfillWorld,
} from '../../support/backfill-world.ts'
import type { PdsAccount } from '../../support/pds-double.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { testSeed } from '../../support/seed.ts'
import type { Commit } from '../../support/simulated-network/repository.ts'

const POST = 'app.bsky.feed.post'
const REPOST = 'app.bsky.feed.repost'
const FOLLOW = 'app.bsky.graph.follow'
const BLOCK = 'app.bsky.graph.block'

let world: BackfillWorld

afterEach(() => world.close())

type Town = { member: PdsAccount; authors: PdsAccount[]; posts: Commit[] }

/**
 * Creates `authors` accounts on the hosts, which post, repost, follow and block; the member follows
 * them all.
 */
async function populate(
  options: BackfillWorldOptions & { authors: number; random: Random },
): Promise<Town> {
  const { random } = options
  world = await startBackfillWorld(options)
  const member = await world.person('member')
  const authors: PdsAccount[] = []
  const posts: Commit[] = []
  for (let i = 0; i < options.authors; i++) {
    authors.push(await world.person(`author${i}`, i % world.hosts.length))
  }
  const now = Date.now()
  for (const author of authors) {
    const base = now - random.below(20 * DAY_MS)
    const count = random.chance(0.1) ? 100 + random.below(60) : random.below(12)
    for (let i = 0; i < count; i++) {
      posts.push(world.post(author, `post ${i}`, { atMs: base - (count - i) * 60_000 }))
    }
    for (let i = 0; i < random.below(4) && posts.length > 0; i++) {
      world.repost(author, random.pick(posts), base + i * 1000)
    }
    for (let i = 0; i < random.below(20); i++) {
      const subject = random.pick(authors)
      if (subject !== author) world.follow(author, subject, base + 10_000 + i)
    }
    if (random.chance(0.2)) world.block(author, random.pick(authors))
  }
  for (const author of authors) world.follow(member, author)
  for (let i = 0; i < 5; i++) posts.push(world.post(member, `mine ${i}`))
  return { member, authors, posts }
}

function records(account: PdsAccount, collection: string) {
  return [...(account.collections.get(collection)?.values() ?? [])]
}

/** Returns the newest records by key, as a listing does. */
function newest(account: PdsAccount, collection: string, count: number) {
  const all = records(account, collection).sort((a, b) => (a.rkey < b.rkey ? 1 : -1))
  return all.slice(0, count)
}

function expectGraph({ member, authors }: Town): void {
  const { graph } = world.memory
  let edges = 0
  for (const creator of [member, ...authors]) {
    const subjects = new Set(records(creator, FOLLOW).map(({ value }) => String(value['subject'])))
    edges += subjects.size
    const out = new Uint32Array(10_000)
    const count = graph.follows(world.uid(creator), 0, out)
    const held = [...out.subarray(0, count)].sort((a, b) => a - b)
    const expected = [...subjects].map((did) => world.uid({ did })).sort((a, b) => a - b)
    expect(held).toEqual(expected)
  }
  expect(graph.edgeCount).toBe(edges)
}

function expectRows({ member, authors }: Town): void {
  const posts = world.db
    .prepare<[number], [Buffer | string, Buffer]>(
      'SELECT rkey, cid FROM posts WHERE uid = ? AND state = 1',
    )
    .raw()
  const actor = world.db.prepare<[number], { handle: string; handle_valid: number; pds: string }>(
    'SELECT handle, handle_valid, pds FROM actors WHERE uid = ?',
  )
  const profile = world.db
    .prepare<[number], Buffer>('SELECT cid FROM profiles WHERE uid = ?')
    .pluck()
  for (const account of [member, ...authors]) {
    const uid = world.uid(account)
    const held = new Map(posts.all(uid).map(([rkey, cid]) => [unpackRkey(rkey), unpackCid(cid)]))
    // Older ones may be stored too, where an account reposted them.
    for (const { rkey, cid } of newest(account, POST, 100)) expect(held.get(rkey)).toBe(cid)
    const repository = account.collections.get(POST)
    for (const [rkey, cid] of held) expect(repository?.get(rkey)?.cid).toBe(cid)
    const blocked = records(account, BLOCK).map(({ value }) => String(value['subject']))
    expect(blockEdges.subjectsOf(world.db, uid)).toEqual(blocked.map((did) => world.uid({ did })))
    expect(actor.get(uid)).toMatchObject({ handle: account.handle, handle_valid: 1 })
    expect(unpackCid(profile.get(uid)!)).toBe(records(account, 'app.bsky.actor.profile')[0]!.cid)
  }
}

/**
 * Stored items of the authors and the member, newest first, computed from the repositories alone.
 */
function expectedTimeline({ member, authors }: Town): string[] {
  const items = [member, ...authors].flatMap((account) => [
    ...heldPosts(account).map((heldPost) => ({
      ...heldPost,
      uri: `${account.did}/${heldPost.rkey}`,
    })),
    ...newest(account, REPOST, 50).map((record) => ({
      ...record,
      uri: `repost ${account.did}/${record.rkey}`,
    })),
  ])
  const timeOf = (item: { value: Record<string, unknown> }) =>
    Date.parse(String(item.value['createdAt']))
  return items
    .sort((a, b) => timeOf(b) - timeOf(a) || (a.cid < b.cid ? 1 : -1))
    .map(({ uri }) => uri)
}

/** The newest hundred and reposted posts; for the member, all posts. */
function heldPosts(account: PdsAccount) {
  const held = world.db
    .prepare<[number], Buffer | string>('SELECT rkey FROM posts WHERE uid = ? AND state = 1')
    .pluck()
    .all(world.uid(account))
  const keys = new Set(held.map((rkey) => unpackRkey(rkey)))
  return records(account, POST).filter(({ rkey }) => keys.has(rkey))
}

function timeline({ member }: Town): string[] {
  const key = (table: string) =>
    world.db
      .prepare<[number], [string, Buffer | string]>(
        `SELECT did, rkey FROM ${table} JOIN actors USING (uid) WHERE id = ?`,
      )
      .raw()
  const slice = world.memory.timelines.read(world.uid(member), undefined, 100_000)
  return slice!.entries.map(({ item }) => {
    const isRepost = isRepostItem(item)
    const [did, rkey] = key(isRepost ? 'reposts' : 'posts').get(rowIdOf(item))!
    return `${isRepost ? 'repost ' : ''}${did}/${unpackRkey(rkey)}`
  })
}

function expectAll(town: Town): void {
  expectGraph(town)
  expectRows(town)
  expect(timeline(town)).toEqual(expectedTimeline(town))
}

describe('a member’s cold start', () => {
  it('fetches graph, rows and timeline of 200 authors on 5 hosts, politely', async () => {
    const random = createRandom(testSeed('cold-start'))
    const limits = { perHost: 3, maxRequests: 9 }
    const town = await populate({ hosts: 5, authors: 200, random, timelineLength: 20_000, limits })
    for (const host of world.hosts) host.lag(5)
    world.backfill.start()
    world.member(town.member)
    await world.settled()
    expectAll(town)
    // On private networks the resolver also asks an account's PDS about its handle.
    for (const host of world.hosts) {
      expect(host.stats().maxConcurrent).toBeGreaterThan(1)
      expect(host.maxConcurrentOf('com.atproto.repo')).toBeLessThanOrEqual(3)
    }
  })

  it('gives the same result after crashes in the middle', async () => {
    const random = createRandom(testSeed('cold-start crash'))
    const town = await populate({ hosts: 3, authors: 60, random, timelineLength: 20_000 })
    for (const host of world.hosts) host.lag(3)
    world.backfill.start()
    world.member(town.member)
    for (let crash = 0; crash < 5; crash++) {
      await new Promise((resolve) => setTimeout(resolve, 30 + random.below(120)))
      await world.restart()
    }
    await world.settled()
    expectAll(town)
  })

  it('completes although hosts fail, lie, hang and refuse for a while', async () => {
    const random = createRandom(testSeed('cold-start faults'))
    const town = await populate({
      hosts: 4,
      authors: 60,
      random,
      timelineLength: 20_000,
      limits: { firstBackoffMs: 100, longestBackoffMs: 400, requestTimeoutMs: 300 },
    })
    const [slow, failing, lying, strict] = world.hosts
    slow!.misbehave({ times: 6, how: 'hang' })
    failing!.misbehave({ times: 15, how: { status: 500 } })
    for (const how of ['lying-did', 'garbage', 'endless', 'hang-up'] as const) {
      lying!.misbehave({ times: 2, how })
    }
    strict!.rateLimit({ limit: 60, windowMs: 1500 })
    world.backfill.start()
    world.member(town.member)
    const hurry = setInterval(() => {
      // Retries wait for seconds and more, which is tested elsewhere.
      world.db.exec('UPDATE jobs SET not_before = 0 WHERE attempts BETWEEN 1 AND 10')
    }, 100)
    await world.settled()
    clearInterval(hurry)
    expectAll(town)
    expect(strict!.stats().noRetry).toBe(0)
  })

  it('fills the open timeline progressively, and shows posts made meanwhile', async () => {
    const random = createRandom(testSeed('cold-start live'))
    const town = await populate({ hosts: 2, authors: 20, random, timelineLength: 20_000 })
    for (const host of world.hosts) host.lag(10)
    world.backfill.start()
    world.member(town.member)
    const lengths = new Set<number>()
    const busy = setInterval(() => {
      lengths.add(timeline(town).length)
      const author = random.pick(town.authors)
      if (world.uid(author) === 0) return
      const post = world.post(author, 'breaking', { atMs: Date.now() })
      if (random.chance(0.3)) {
        world.live(post, author.remove(POST, post.rkey, Date.now()))
      } else world.live(post)
    }, 5)
    await world.settled()
    clearInterval(busy)
    expect(lengths.size).toBeGreaterThan(3)
    expectAll(town)
  })

  it('reports its progress, and its end once', async () => {
    const random = createRandom(testSeed('cold-start progress'))
    const town = await populate({ authors: 12, random })
    world.hosts[0]!.lag(10)
    world.backfill.start()
    world.member(town.member)
    const seen: number[] = []
    const watch = setInterval(() => {
      const [progress] = world.backfill.coldStarts()
      if (progress?.authors.total === 12) seen.push(progress.authors.done)
    }, 5)
    await world.settled()
    clearInterval(watch)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(countJobs(world.db)).toEqual({})
  })
})
