// A long random history, delivered out of order, with late copies, in batches of any size, against a naive
// model: rows, counts, graph, timelines; then again after a restart from rows, and with failures in the
// middle of batches.

import type { StreamEvent } from '@slipstream/jetstream'
import { describe, expect, it } from 'vitest'
import { type PackedRkey, unpackCid, unpackRkey } from '../../../src/base/atproto/keys.ts'
import { blockEdges, followEdges, likeEdges } from '../../../src/data/store/edges/all-edges.ts'
import type { Edge } from '../../../src/data/store/edges/edge.ts'
import type { EdgeTable } from '../../../src/data/store/edges/edge-table.ts'
import { NEWEST } from '../../../src/data/store/edges/subject-lists.ts'
import { isRepostItem, rowIdOf } from '../../../src/data/store/timelines/item-ids.ts'
import { createNaiveIndex, type NaiveIndex } from '../../support/naive-index.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { fromTwoSources, randomHistory, unreliably } from '../../support/random-history.ts'
import { pairsOf } from '../../support/rows.ts'
import { createWorld, type World } from '../../support/world.ts'

const SEED = Number(process.env['SEED'] ?? 4_301_121)
const ROUNDS = 6
const EVENTS = 1_500

type KeyRow = { did: string; rkey: PackedRkey }
type Json = { [key: string]: unknown }

function uriOf(collection: string, { did, rkey }: KeyRow): string {
  return `at://${did}/${collection}/${unpackRkey(rkey)}`
}

function rows<T>(world: World, sql: string): T[] {
  return world.db.prepare<[], T>(sql).all()
}

/** Every record stored as present, and the streamed records it must match. */
function storedRecords(world: World, naive: NaiveIndex) {
  const withRecord = (collection: string, table: string, where: string) =>
    rows<KeyRow & { cid: Buffer; record: Buffer; sort_at: number }>(
      world,
      `SELECT did, ${table}.* FROM ${table} JOIN actors USING (uid) WHERE ${where}`,
    ).map((row) => [uriOf(collection, row), unpackCid(row.cid), row.sort_at] as const)
  const expected = (collection: string) =>
    naive.records(collection).map(([uri, event]) => [uri, event.cid, naive.sortAt(event)] as const)
  const post = 'app.bsky.feed.post'
  const list = 'app.bsky.graph.list'
  return {
    stored: [
      ...withRecord(post, 'posts', 'state = 1').sort(byUri),
      ...withRecord('app.bsky.feed.repost', 'reposts', 'TRUE').sort(byUri),
      ...withRecord(list, 'lists', 'cid IS NOT NULL').sort(byUri),
    ],
    expected: [...expected(post), ...expected('app.bsky.feed.repost'), ...expected(list)],
  }
}

function byUri(a: readonly [string, ...unknown[]], b: readonly [string, ...unknown[]]): number {
  return a[0] < b[0] ? -1 : 1
}

function edgesOf(world: World, collection: string, table: string): string[] {
  return rows<KeyRow & { target: string }>(
    world,
    `SELECT a.did, t.rkey, s.did AS target FROM ${table} t JOIN actors a USING (uid)
      JOIN actors s ON s.uid = t.subject`,
  )
    .map((row) => `${uriOf(collection, row)} ${row.target}`)
    .sort()
}

function packedEdgesOf(world: World, collection: string, table: EdgeTable): string[] {
  return everyEdge(world, table)
    .map(({ uid, rkey, subject }) => {
      const did = world.actors.didOf(uid)
      return `${uriOf(collection, { did, rkey })} ${world.actors.didOf(subject)}`
    })
    .sort()
}

/** Edges read from each creator's list; each subject's list must agree. */
function everyEdge(world: World, table: EdgeTable): Edge[] {
  const pairs = pairsOf(world.db, table)
  const subjects = new Set(pairs.map(([, subject]) => subject))
  const bySubject = [...subjects].flatMap((subject) =>
    table.newest(world.db, subject, NEWEST, 1_000_000),
  )
  expect(bySubject.map(({ uid, subject }) => `${uid} ${subject}`).sort()).toEqual(
    pairs.map((pair) => pair.join(' ')).sort(),
  )
  return bySubject
}

function expectedEdges(naive: NaiveIndex, collection: string): string[] {
  return naive
    .records(collection)
    .map(([uri, { record }]) => `${uri} ${record['subject']}`)
    .sort()
}

/** Likes with their posts; the table names no subject account. */
function likesOf(world: World): string[] {
  const posts = new Map(
    rows<KeyRow & { id: number }>(
      world,
      'SELECT id, did, rkey FROM posts JOIN actors USING (uid)',
    ).map((row) => [row.id, row]),
  )
  return everyEdge(world, likeEdges)
    .map(({ uid, rkey, subject }) => {
      const like = uriOf('app.bsky.feed.like', { did: world.actors.didOf(uid), rkey })
      return `${like} ${uriOf('app.bsky.feed.post', posts.get(subject)!)}`
    })
    .sort()
}

function expectedLikes(naive: NaiveIndex): string[] {
  return naive
    .records('app.bsky.feed.like')
    .map(([uri, { record }]) => `${uri} ${(record['subject'] as { uri: string }).uri}`)
    .sort()
}

function postCounts(world: World): Record<string, number[]> {
  const found = rows<KeyRow & Record<'likes' | 'reposts' | 'replies' | 'quotes', number>>(
    world,
    'SELECT did, rkey, c.* FROM post_counts c JOIN posts p ON p.id = c.post JOIN actors USING (uid)',
  )
  const counts = found.map((row) => [
    uriOf('app.bsky.feed.post', row),
    [row.likes, row.reposts, row.replies, row.quotes],
  ])
  return Object.fromEntries(
    counts.filter(([, numbers]) => (numbers as number[]).some((number) => number !== 0)),
  )
}

function expectedPostCounts(naive: NaiveIndex): Record<string, number[]> {
  const counts: Record<string, number[]> = {}
  const sources = [naive.likes(), naive.reposts(), naive.replies(), naive.quotes()]
  for (const [i, source] of sources.entries()) {
    for (const [uri, count] of source) {
      counts[uri] ??= [0, 0, 0, 0]
      counts[uri][i] = count
    }
  }
  return counts
}

function actorCounts(world: World): Record<string, number[]> {
  const found = rows<{ did: string; a: number; b: number; c: number }>(
    world,
    'SELECT did, follows_count AS a, followers_count AS b, posts_count AS c FROM actors',
  )
  return Object.fromEntries(found.map(({ did, a, b, c }) => [did, [a, b, c]]))
}

function expectedActorCounts(world: World, naive: NaiveIndex): Record<string, number[]> {
  const pairs = [...naive.follows()].map((pair) => pair.split(' '))
  const posts = naive.records('app.bsky.feed.post')
  const dids = rows<{ did: string }>(world, 'SELECT did FROM actors').map(({ did }) => did)
  return Object.fromEntries(
    dids.map((did) => [
      did,
      [
        pairs.filter(([creator]) => creator === did).length,
        pairs.filter(([, subject]) => subject === did).length,
        posts.filter(([, event]) => event.did === did).length,
      ],
    ]),
  )
}

function graphPairs(world: World): string[] {
  const pairs: string[] = []
  const out = new Uint32Array(1000)
  for (let uid = 1; uid <= world.actors.count; uid++) {
    const count = world.graph.follows(uid, 0, out)
    for (const subject of out.subarray(0, count)) {
      pairs.push(`${world.actors.didOf(uid)} ${world.actors.didOf(subject)}`)
    }
  }
  return pairs.sort()
}

function itemUri(world: World, item: number): string {
  const table = isRepostItem(item) ? 'reposts' : 'posts'
  const collection = isRepostItem(item) ? 'app.bsky.feed.repost' : 'app.bsky.feed.post'
  const sql = `SELECT did, rkey FROM ${table} t JOIN actors USING (uid) WHERE t.id = ?`
  return uriOf(collection, world.db.prepare<[number], KeyRow>(sql).get(rowIdOf(item))!)
}

/**
 * Checks that a ring is the newest part of the true timeline, and complete if not marked as
 * truncated.
 */
function expectTimeline(world: World, naive: NaiveIndex, did: string): void {
  const ring = world.timelines.read(world.uid(did), undefined, 100_000)!
  const truth = naive.timeline(did)
  const uris = ring.entries.map(({ item }) => itemUri(world, item))
  const expected = ring.truncated ? truth.slice(0, uris.length) : truth
  expect(uris).toEqual(expected.map(({ uri }) => uri))
  expect(ring.entries.map(({ sortAt }) => sortAt)).toEqual(expected.map(({ sortAt }) => sortAt))
}

function memoryOf(world: World): Json {
  const uids = Array.from({ length: world.actors.count }, (_, i) => i + 1)
  return {
    actors: uids.map((uid) => [
      world.actors.didOf(uid),
      world.actors.flagsOf(uid),
      world.actors.memberFollowersOf(uid),
    ]),
    graph: graphPairs(world),
  }
}

function expectAgreement(world: World, naive: NaiveIndex, members: string[]): void {
  const { stored, expected } = storedRecords(world, naive)
  expect(stored).toEqual(expected)
  for (const [collection, table] of [
    ['app.bsky.graph.follow', followEdges],
    ['app.bsky.graph.block', blockEdges],
    ['app.bsky.graph.listitem', 'list_items'],
  ] as const) {
    const stored =
      typeof table === 'string'
        ? edgesOf(world, collection, table)
        : packedEdgesOf(world, collection, table)
    expect(stored).toEqual(expectedEdges(naive, collection))
  }
  expect(likesOf(world)).toEqual(expectedLikes(naive))
  expect(postCounts(world)).toEqual(expectedPostCounts(naive))
  expect(actorCounts(world)).toEqual(expectedActorCounts(world, naive))
  expect(graphPairs(world)).toEqual([...naive.follows()].sort())
  for (const did of members) expectTimeline(world, naive, did)
}

function* batches(events: StreamEvent[], random: Random): Generator<StreamEvent[]> {
  for (let at = 0; at < events.length; ) {
    const size = 1 + random.below(80)
    yield events.slice(at, at + size)
    at += size
  }
}

/** A batch that fails after its last event, as on a full disk. */
function failing(events: StreamEvent[]): StreamEvent[] {
  const poison = {
    kind: 'commit',
    get did(): string {
      throw new Error('the disk is full')
    },
  }
  return [...events, poison as unknown as StreamEvent]
}

describe.each([
  { timelineLength: 1000, crashes: false },
  { timelineLength: 40, crashes: false },
  { timelineLength: 60, crashes: true },
])('a random history, with $timelineLength items a ring, crashes: $crashes', (options) => {
  it(`matches the naive model (seed ${SEED})`, () => {
    const random = createRandom(SEED + options.timelineLength)
    const names = ['person-0', 'person-1', 'person-2']
    const { timelineLength } = options
    const world = createWorld({ scope: 'network', members: names, timelineLength })
    const members = names.map((name) => world.account(name))
    const naive = createNaiveIndex()
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const events = unreliably(randomHistory(world, random, EVENTS / ROUNDS), random)
        for (const batch of batches(events, random)) {
          if (options.crashes && random.chance(0.2)) {
            const before = world.db.prepare('SELECT count(*) FROM posts').pluck().get()
            expect(() => world.apply(failing(batch))).toThrow('the disk is full')
            expect(world.db.prepare('SELECT count(*) FROM posts').pluck().get()).toBe(before)
          }
          world.apply(batch)
          for (const event of batch) naive.apply(event)
        }
        expectAgreement(world, naive, members)
        const before = memoryOf(world)
        world.restart()
        expect(memoryOf(world)).toEqual(before)
        for (const did of members) expectTimeline(world, naive, did)
      }
      expect(naive.records('app.bsky.feed.post').length).toBeGreaterThan(100)
      expect(naive.likes().size).toBeGreaterThan(20)
    } finally {
      world.dispose()
    }
  })
})

it(`two sources, of which now one and now the other is ahead, leave what one of them leaves (seed ${SEED})`, () => {
  const random = createRandom(SEED)
  const names = ['person-0', 'person-1', 'person-2']
  const world = createWorld({ scope: 'network', members: names, timelineLength: 1000 })
  const members = names.map((name) => world.account(name))
  const naive = createNaiveIndex()
  try {
    for (let round = 0; round < 5 * ROUNDS; round++) {
      // Who is deleted writes nothing.
      const events = randomHistory(world, random, EVENTS / ROUNDS / 4).filter((event) => {
        naive.apply(event)
        return event.kind !== 'commit' || !naive.deleted.has(event.did)
      })
      for (const batch of batches(fromTwoSources(events, random), random)) world.apply(batch)
      expectAgreement(world, naive, members)
    }
    expect(naive.records('app.bsky.feed.post').length).toBeGreaterThan(100)
  } finally {
    world.dispose()
  }
})
