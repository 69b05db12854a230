// A leaving member takes along what only they needed: after random histories with joins and leaves, in slices
// between events and across restarts, the index equals one that never had them, in rows and memory. Two
// oracles bound this. The lower one never saw those who left, and lacks what became needed later and would be
// fetched. The upper one kept the whole network, then pruned it to what is needed. Any state between them is
// right if counts fit rows and memory fits both.

import type { StreamEvent } from '@slipstream/jetstream'
import { afterEach, describe, expect, it } from 'vitest'
import { MEMBER } from '../../../../src/data/graph/types.ts'
import { ANCHOR } from '../../../../src/data/store/posts/post-flags.ts'
import {
  GC,
  nextGcCandidate,
  putGcCandidate,
} from '../../../../src/data/store/removal/gc-candidates.ts'
import type { IndexContext, IndexScope } from '../../../../src/ingest/indexing/index-context.ts'
import { memberSeen, removeMember } from '../../../../src/ingest/indexing/members/members.ts'
import { bookmark, muteList } from '../../../../src/ingest/indexing/members/private-state.ts'
import { sweepCandidates } from '../../../../src/ingest/indexing/retention/sweep-candidates.ts'
import { createWriter } from '../../../../src/ingest/indexing/writer.ts'
import { canonicalRows } from '../../../support/canonical-rows.ts'
import { createRandom, type Random } from '../../../support/random.ts'
import { createWorld, type RecordId, type World } from '../../../support/world.ts'

const SEED = Number(process.env['TEST_SEED'] ?? 211_126)

const worlds: World[] = []

afterEach(() => {
  for (const world of worlds.splice(0)) world.dispose()
})

function start(members: string[], scope: IndexScope = 'community'): World {
  const world = createWorld({ members, scope })
  worlds.push(world)
  return world
}

function settle(world: World, cost = 50): void {
  for (let isLeft = true; isLeft; ) {
    world.run((ctx) => {
      isLeft = sweepCandidates(ctx, cost)
    })
  }
}

/** Marks every account and post as a candidate for removal, and sweeps them all. */
function addAll(world: World, writer = world.writer): void {
  writer.commit(({ db }) => {
    const uids = db.prepare<[], number>('SELECT uid FROM actors').pluck().all()
    const posts = db.prepare<[], number>('SELECT id FROM posts').pluck().all()
    for (const uid of uids) putGcCandidate(db, GC.author, uid)
    for (const post of posts) putGcCandidate(db, GC.post, post)
  })
  for (let isLeft = true; isLeft; ) {
    isLeft = writer.commit((ctx) => sweepCandidates(ctx, 500))
  }
}

/** The upper bound: what is needed of all events, for an index that stored everything. */
function mostOf(members: string[], events: StreamEvent[]): Record<string, string[]> {
  const world = start(members, 'network')
  world.apply(events)
  const { db, memory, now } = world
  // As far as this index knows, every current author was one from the start.
  db.prepare('UPDATE posts SET flags = flags | ?').run(ANCHOR)
  addAll(world, createWriter({ db, memory, now, scope: 'community' }))
  return recordsOf(world)
}

function leastOf(members: string[], events: StreamEvent[]): Record<string, string[]> {
  const world = start(members)
  world.apply(events)
  addAll(world)
  return recordsOf(world)
}

/** Rows of records, including the keys they refer to. */
function recordsOf(world: World): Record<string, string[]> {
  const { away: _, postCounts: __, accountCounts: ___, ...rows } = canonicalRows(world.db)
  return rows
}

function expectBetween(
  world: World,
  { least, most }: Record<'least' | 'most', Record<string, string[]>>,
): void {
  const rows = recordsOf(world)
  for (const [name, lines] of Object.entries(rows)) {
    const held = new Set(lines)
    const allowed = new Set(most[name])
    const missing = least[name]!.filter((line) => !held.has(line))
    const extra = lines.filter((line) => !allowed.has(line))
    expect({ name, lacking: missing, extra }).toEqual({ name, lacking: [], extra: [] })
  }
  expectConsistent(world)
}

/** Checks counts and memory against rows. */
function expectConsistent(world: World): void {
  const { reposts, likes, follows } = canonicalRows(world.db)
  const wrong = world.db.prepare<[], unknown>(WRONG_COUNTS).all()
  expect(wrong).toEqual([])
  const counted = (sql: string) => world.db.prepare<[], number>(sql).pluck().get() ?? 0
  const distinct = (lines: string[]) =>
    new Set(lines.map((line) => line.replace(/\/\S+ /, ' '))).size
  expect(counted('SELECT sum(likes) FROM post_counts')).toBe(distinct(likes!))
  expect(counted('SELECT sum(reposts) FROM post_counts')).toBe(distinct(reposts!))
  expect(counted('SELECT sum(follows_count) FROM actors')).toBe(distinct(follows!))
  expect(counted('SELECT sum(followers_count) FROM actors')).toBe(distinct(follows!))
  const pairs = new Set(follows!.map((line) => line.replace(/\/\S+ /, ' ')))
  expect(new Set(graphOf(world))).toEqual(pairs)
}

const WRONG_COUNTS = `
  SELECT 'replies', p.id FROM posts p LEFT JOIN post_counts c ON c.post = p.id
    WHERE coalesce(c.replies, 0) <> (SELECT count(*) FROM posts r WHERE r.parent = p.id AND r.state = 1)
  UNION ALL SELECT 'quotes', p.id FROM posts p LEFT JOIN post_counts c ON c.post = p.id
    WHERE coalesce(c.quotes, 0) <> (SELECT count(*) FROM posts r WHERE r.quote = p.id AND r.state = 1)
  UNION ALL SELECT 'posts', uid FROM actors a
    WHERE posts_count <> (SELECT count(*) FROM posts p WHERE p.uid = a.uid AND p.state = 1)
  UNION ALL SELECT 'counts of nothing', post FROM post_counts WHERE post NOT IN (SELECT id FROM posts)`

function graphOf(world: World): string[] {
  const graph: string[] = []
  const page = new Uint32Array(1_000)
  for (let uid = 1; uid <= world.actors.count; uid++) {
    const written = world.graph.follows(uid, 0, page)
    for (const subject of page.subarray(0, written)) {
      graph.push(`${world.actors.didOf(uid)} ${world.actors.didOf(subject)}`)
    }
  }
  return graph
}

/** Random acts of accounts, some of which follow each other; nothing refers to a later record. */
function history(
  world: World,
  random: Random,
  people: string[],
  { count, storesPosts }: { count: number; storesPosts: boolean },
): StreamEvent[] {
  const posts: RecordId[] = []
  const made: RecordId[] = []
  const recent = () => random.pick(posts.slice(-30))
  const acts: ((did: string) => unknown)[] = [
    (did) => posts.push(world.post(did)),
    (did) => posts.push(world.post(did)),
    (did) => posts.length > 0 && posts.push(world.post(did, { reply: { parent: recent() } })),
    (did) =>
      posts.length > 1 &&
      posts.push(world.post(did, { reply: { parent: recent(), root: recent() } })),
    (did) => posts.length > 0 && posts.push(world.post(did, { quote: recent() })),
    (did) => posts.push(world.post(did, { facets: [mentionOf(random.pick(people))] })),
    (did) => posts.length > 0 && made.push(world.like(did, recent())),
    (did) => posts.length > 0 && made.push(world.like(did, recent())),
    (did) => posts.length > 0 && made.push(world.repost(did, recent())),
    (did) => made.push(world.follow(did, random.pick(people))),
    (did) => made.push(world.follow(did, random.pick(people))),
    (did) => made.push(world.block(did, random.pick(people))),
    (did) => world.profile(did, { displayName: `name ${random.below(100)}` }),
    (did) => {
      const list = world.list(did, 'a list')
      made.push(world.listItem(did, list, random.pick(people)))
      made.push(world.listBlock(random.pick(people), list))
    },
    () => made.length > 20 && world.delete(made.splice(random.below(made.length), 1)[0]!),
    // Replies and likes of a deleted post depend on when they arrived.
    () =>
      storesPosts ||
      posts.length < 20 ||
      world.delete(posts.splice(random.below(posts.length), 1)[0]!),
  ]
  return world.hold(() => {
    for (let i = 0; i < count; i++) random.pick(acts)(random.pick(people))
  })
}

function mentionOf(did: string) {
  const features = [{ $type: 'app.bsky.richtext.facet#mention', did }]
  return { index: { byteStart: 0, byteEnd: 1 }, features }
}

const count = (world: World, table: string) =>
  world.db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get()!

describe('a member who leaves', () => {
  it.each([1, 2, 3, 4])('leaves an index that never had them, history %i', (round) => {
    const random = createRandom(SEED + round)
    const world = start(['stays', 'leaves', 'goes'])
    const people = Array.from({ length: 14 }, (_, i) => world.account(`person-${i}`))
    const [stays, leaves, goes] = ['stays', 'leaves', 'goes'].map(world.account) as [
      string,
      string,
      string,
    ]
    const first = world.hold(() => {
      for (const person of people.slice(0, 3)) world.follow(stays, person)
      for (const person of people.slice(2, 8)) world.follow(leaves, person)
      for (const person of people.slice(7, 10)) world.follow(goes, person)
      world.follow(leaves, goes)
    })
    const events = [
      ...first,
      ...history(world, random, [...people, stays, leaves, goes], {
        count: 700,
        storesPosts: true,
      }),
    ]
    world.apply(events.slice(0, 400))
    world.run((ctx) => {
      bookmark(ctx, leaves, { uri: randomPost(events, random), cid: 'cid' })
      removeMember(ctx, leaves)
    })
    for (let at = 400; at < events.length; at += 10) {
      world.apply(events.slice(at, at + 10))
      world.run((ctx) => void sweepCandidates(ctx, 5))
      if (at === 500) world.run((ctx) => removeMember(ctx, goes))
      if (at % 60 === 0) expect(() => world.run(dieHalfway)).toThrow('killed')
      if (at === 600) world.restart()
    }
    settle(world)
    const bounds = { least: leastOf(['stays'], events), most: mostOf(['stays'], events) }
    expectBetween(world, bounds)
    for (const did of [leaves, goes]) {
      expect(world.actors.flagsOf(world.uid(did)) & MEMBER).toBe(0)
      expect(world.timelines.isOpen(world.uid(did))).toBe(false)
    }
    expect(count(world, 'bookmarks')).toBe(0)
    expect(count(world, `notifications WHERE uid <> ${world.uid(stays)}`)).toBe(0)
    world.restart()
    expectBetween(world, bounds)
    // A full sweep finds nothing that was missed.
    const before = recordsOf(world)
    addAll(world)
    expect(recordsOf(world)).toEqual(before)
  })

  it('who was the only one leaves nothing behind', () => {
    const random = createRandom(SEED)
    const world = start(['only'])
    const people = Array.from({ length: 9 }, (_, i) => world.account(`person-${i}`))
    const only = world.account('only')
    world.apply(world.hold(() => people.slice(0, 6).map((did) => world.follow(only, did))))
    world.apply(history(world, random, [...people, only], { count: 500, storesPosts: false }))
    expect(count(world, 'posts')).toBeGreaterThan(50)
    world.run((ctx) => {
      muteList(ctx, only, `at://${people[7]}/app.bsky.graph.list/3kaaaaaaaaa2a`)
      removeMember(ctx, only)
    })
    settle(world)
    const left = Object.entries(canonicalRows(world.db)).filter(([, rows]) => rows.length > 0)
    expect(left).toEqual([])
    for (const table of ['posts', 'post_counts', 'reposts', 'notifications', 'profiles', 'lists']) {
      const left = world.db.prepare(`SELECT * FROM ${table}`).all()
      expect([table, left]).toEqual([table, []])
    }
    expect(world.db.prepare('SELECT kind, subject FROM jobs').all()).toEqual([])
    expect(world.graph.edgeCount).toBe(0)
  })

  it('who comes back is a newcomer, even before the removal is complete', () => {
    const random = createRandom(SEED)
    for (const slices of [0, 3, 10_000]) {
      const world = start(['stays', 'leaves'])
      const people = Array.from({ length: 9 }, (_, i) => world.account(`person-${i}`))
      const [stays, leaves] = [world.account('stays'), world.account('leaves')]
      const follows = world.hold(() => {
        world.follow(stays, people[0]!)
        for (const person of people.slice(0, 5)) world.follow(leaves, person)
      })
      const events = [
        ...follows,
        ...history(world, random, [...people, leaves], { count: 300, storesPosts: true }),
      ]
      world.apply(events)
      world.run((ctx) => {
        bookmark(ctx, leaves, { uri: randomPost(events, random), cid: 'cid' })
        removeMember(ctx, leaves)
      })
      for (let i = 0; i < slices && nextGcCandidate(world.db); i++) {
        world.run((ctx) => void sweepCandidates(ctx, 10))
      }
      world.run((ctx) => memberSeen(ctx, leaves))
      expect(count(world, 'bookmarks')).toBe(0)
      expect(count(world, `jobs WHERE kind = 'member' AND subject = ${world.uid(leaves)}`)).toBe(1)
      settle(world)
      // The newcomer's cold start: their follows, and everything that is still in the repositories.
      const there = events.filter(isStillThere(events))
      world.apply(there.filter(isFollow))
      // Referenced posts are fetched, then the posts those refer to.
      for (let before = -1; before < count(world, 'posts WHERE state = 1'); ) {
        before = count(world, 'posts WHERE state = 1')
        world.apply(there)
      }
      // A record whose row exists is stored, whatever the row exists for.
      addAll(world)
      const least = leastOf(['stays', 'leaves'], events)
      expectBetween(world, { least, most: mostOf(['stays', 'leaves'], events) })
    }
  })
})

it('keeps a stranger’s list, and blocks by it, while a member is on it', () => {
  const world = start(['reads'])
  const [reads, friend, lister] = ['reads', 'friend', 'lister'].map(world.account) as [
    string,
    string,
    string,
  ]
  const befriended = world.follow(reads, friend)
  const list = { uri: `at://${lister}/app.bsky.graph.list/3kaaaaaaaaa2a`, cid: 'cid' }
  const item = world.listItem(lister, list, reads)
  world.listItem(lister, list, friend)
  world.listBlock(friend, list)
  const held = () => [count(world, 'list_items'), count(world, 'list_blocks')]
  world.delete(befriended)
  settle(world)
  expect(held()).toEqual([2, 1])
  world.delete(item)
  settle(world)
  expect(held()).toEqual([0, 0])
  expect(count(world, 'lists')).toBe(0)
})

function randomPost(events: StreamEvent[], random: Random): string {
  const posts = events.flatMap((event) => {
    const isPost = event.kind === 'commit' && event.collection === 'app.bsky.feed.post'
    return isPost ? [`at://${event.did}/${event.collection}/${event.rkey}`] : []
  })
  return random.pick(posts)
}

function isStillThere(events: StreamEvent[]): (event: StreamEvent) => boolean {
  const keyOf = (event: StreamEvent) =>
    event.kind === 'commit' ? `${event.did}/${event.collection}/${event.rkey}` : ''
  const gone = new Set(
    events.flatMap((event) =>
      event.kind === 'commit' && event.operation === 'delete' ? [keyOf(event)] : [],
    ),
  )
  return (event) => !gone.has(keyOf(event))
}

function isFollow(event: StreamEvent): boolean {
  return event.kind === 'commit' && event.collection === 'app.bsky.graph.follow'
}

/** Fails halfway, so that the transaction is rolled back. */
function dieHalfway(ctx: IndexContext): void {
  sweepCandidates(ctx, 50)
  throw new Error('killed')
}
