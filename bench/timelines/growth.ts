// How costs grow: the follow graph from 10^4 to 10^8 edges, timelines from 10 to 10^5 members. Networks have
// the same shape at every size: 29 follows per account as in the real one (160 million by 5.5 million), power
// laws for followers and followed, random order. Times are for random edges, so that the largest sizes
// include cache misses. `npm run bench -- growth --full --save docs/plots/data.json` measures the data of
// docs/plots, and `node scripts/write-plots.ts` draws it.

import {
  createFollowGraph,
  createTimelines,
  loadFollowGraph,
  openFollowGraph,
  openTimelines,
  type TimelineEntry,
} from '@slipstream/follow-graph'
import { createActorTable } from '../../src/data/graph/actor-table.ts'
import { createIsDrawn, drawByHash } from '../../src/data/graph/lossiness.ts'
import { fanOut } from '../../src/ingest/indexing/memory/fan-out.ts'
import { didOf } from '../../test/support/network-stream.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import type { BenchOptions, BenchResult } from '../runner/result.ts'
import { bestNs, onceNs, sink } from '../support/cpu-time.ts'

const FOLLOWS_AN_ACCOUNT = 29
const TRIED = 100_000
const ROUNDS = 5
const POPULAR = 500
const REQUESTED = 5_000
const TIMELINE_LENGTH = 1_000
const AUTHORS = 20_000
const FOLLOWS_A_MEMBER = 100
const POSTS = 2_000
const PAGE = 50
const NOBODY_IS_A_CELEBRITY = { flagsOf: () => 0 }

export function bench({ full, wants }: BenchOptions): BenchResult[] {
  const largestEdges = full ? 8 : 6
  const largestMembers = full ? 5 : 3
  const results: BenchResult[] = []
  // The first run would measure code that is not compiled yet.
  measureEdges(100_000, 'warm')
  for (let power = 4; wants('growth.edges') && power <= largestEdges; power++) {
    results.push(...measureEdges(10 ** power, `growth.edges.1e${power}`))
    globalThis.gc?.()
  }
  for (let power = 1; wants('growth.members') && power <= largestMembers; power++) {
    results.push(...measureMembers(10 ** power, `growth.members.1e${power}`))
    globalThis.gc?.()
  }
  if (wants('growth.accounts')) results.push(...measureAccounts(full ? 4_000_000 : 400_000))
  return results
}

function measureAccounts(count: number): BenchResult[] {
  const actors = createActorTable()
  const dids = Array.from({ length: count }, (_, n) => didOf(n))
  const intern = onceNs(count, () => {
    for (const did of dids) sink.value += actors.intern(did)
  })
  const find = onceNs(count, () => {
    for (const did of dids) sink.value += actors.uidOf(did)
  })
  return [
    { name: 'growth.accounts.bytes', value: bytesOf(actors.handle) / count, unit: 'B' },
    { name: 'growth.accounts.intern.ns', value: intern, unit: 'ns' },
    { name: 'growth.accounts.find.ns', value: find, unit: 'ns' },
  ]
}

type Pairs = { creators: Uint32Array; subjects: Uint32Array }

function measureEdges(edges: number, name: string): BenchResult[] {
  const random = createRandom(edges)
  const accounts = Math.max(100, Math.floor(edges / FOLLOWS_AN_ACCOUNT))
  const graph = createFollowGraph()
  fill(graph, edges, { random, accounts })
  const { poolBytes, headBytes } = graph.usage()
  const fresh = drawFresh(graph, { random, accounts }, Math.min(TRIED, edges / 10))
  const { add, contains, remove } = measureOperations(graph, fresh)
  const reader = openFollowGraph(graph.handle)
  const known = measureKnownFollowers(reader, { random, accounts })
  const load = measureLoad(graph, accounts)
  return [
    { name: `${name}.bytes_per_edge`, value: (poolBytes + headBytes) / graph.edgeCount, unit: 'B' },
    { name: `${name}.add.ns`, value: add, unit: 'ns' },
    { name: `${name}.contains.ns`, value: contains, unit: 'ns' },
    { name: `${name}.remove.ns`, value: remove, unit: 'ns' },
    { name: `${name}.known_followers.us`, value: known / 1000, unit: 'µs' },
    { name: `${name}.load.ms`, value: load / 1e6, unit: 'ms' },
  ]
}

/** Nanoseconds, best of several rounds that leave the graph unchanged. */
function measureOperations(graph: ReturnType<typeof createFollowGraph>, fresh: Pairs) {
  const count = fresh.creators.length
  const best = { add: Infinity, contains: Infinity, remove: Infinity }
  for (let round = 0; round < ROUNDS; round++) {
    const add = onceNs(count, () => each(fresh, (a, b) => graph.add(a, b)))
    const contains = onceNs(count, () => each(fresh, (a, b) => graph.has(a, b)))
    const remove = onceNs(count, () => each(fresh, (a, b) => graph.remove(a, b)))
    best.add = Math.min(best.add, add)
    best.contains = Math.min(best.contains, contains)
    best.remove = Math.min(best.remove, remove)
  }
  return best
}

type Network = { random: Random; accounts: number }

function fill(
  graph: ReturnType<typeof createFollowGraph>,
  edges: number,
  { random, accounts }: Network,
): void {
  for (let i = 0; i < edges; i++) graph.add(anyone(random, accounts), anyone(random, accounts))
}

/**
 * Draws a number from 1; frequently drawn numbers are often scattered, as when accounts arrive in
 * any order.
 */
function anyone(random: Random, accounts: number): number {
  return 1 + ((Math.floor(accounts * random.next() ** 3) * 7_919) % accounts)
}

function popular(rank: number, accounts: number): number {
  return 1 + ((rank * 7_919) % accounts)
}

/** Distinct pairs that the graph does not contain. */
function drawFresh(
  graph: ReturnType<typeof createFollowGraph>,
  { random, accounts }: Network,
  count: number,
): Pairs {
  const pairs = new Map<number, [number, number]>()
  while (pairs.size < count) {
    const [creator, subject] = [anyone(random, accounts), anyone(random, accounts)]
    if (!graph.has(creator, subject)) pairs.set(creator * accounts + subject, [creator, subject])
  }
  const drawn = [...pairs.values()]
  return {
    creators: Uint32Array.from(drawn, ([creator]) => creator),
    subjects: Uint32Array.from(drawn, ([, subject]) => subject),
  }
}

function each({ creators, subjects }: Pairs, ask: (a: number, b: number) => boolean): void {
  for (let i = 0; i < creators.length; i++) if (ask(creators[i]!, subjects[i]!)) sink.value++
}

/** Viewers with a few hundred follows, and the 500 most followed accounts. */
function measureKnownFollowers(
  graph: ReturnType<typeof openFollowGraph>,
  { random, accounts }: Network,
): number {
  const out = new Uint32Array(PAGE + 1)
  const viewers = Uint32Array.from({ length: REQUESTED }, () => anyone(random, accounts))
  const subjects = Uint32Array.from({ length: REQUESTED }, () =>
    popular(random.below(Math.min(POPULAR, accounts)), accounts),
  )
  return bestNs(REQUESTED, () => {
    for (let i = 0; i < REQUESTED; i++) {
      sink.value += graph.knownFollowers(viewers[i]!, subjects[i]!, 0, out)
    }
  })
}

/** Nanoseconds from the snapshot's chunks to a graph ready for lookups. */
function measureLoad(graph: ReturnType<typeof createFollowGraph>, accounts: number): number {
  const chunks = [...graph.dump()]
  return onceNs(1, () => {
    sink.value += loadFollowGraph(chunks, accounts).edgeCount
  })
}

/** Current size of all shared buffers in a handle. */
function bytesOf(handle: object): number {
  return Object.values(handle).reduce<number>((sum, value) => {
    if (value instanceof SharedArrayBuffer) return sum + value.byteLength
    return typeof value === 'object' && value !== null ? sum + bytesOf(value) : sum
  }, 0)
}

function measureMembers(members: number, name: string): BenchResult[] {
  const random = createRandom(members)
  const graph = createFollowGraph()
  const timelines = createTimelines(TIMELINE_LENGTH)
  for (let member = 1; member <= members; member++) {
    for (let i = 0; i < FOLLOWS_A_MEMBER; i++) {
      graph.add(member, members + 1 + random.below(AUTHORS))
    }
    timelines.open(member, fullTimeline(random, members), true)
  }
  const isHashDrawn = createIsDrawn({
    graph,
    limit: 2_000,
    draw: drawByHash({ hashOf: (uid) => uid }),
  })
  const parts = { graph, timelines, isHashDrawn, actors: NOBODY_IS_A_CELEBRITY }
  let i = 0
  let written = 0
  const fan = bestNs(POSTS, () => {
    for (let n = 0; n < POSTS; n++)
      written += fanOut(parts, entryAt(++i, random, members), i).written
  })
  const reader = openTimelines(timelines.handle)
  const read = bestNs(REQUESTED, () => {
    for (let n = 0; n < REQUESTED; n++) {
      sink.value += reader.read(1 + random.below(members), undefined, PAGE)!.entries.length
    }
  })
  return [
    { name: `${name}.timeline_read.us`, value: read / 1000, unit: 'µs' },
    { name: `${name}.fan_out.us`, value: fan / 1000, unit: 'µs' },
    { name: `${name}.fan_out.writes`, value: written / i, unit: 'writes' },
    { name: `${name}.timelines.mb`, value: bytesOf(timelines.handle) / 2 ** 20, unit: 'MB' },
  ]
}

const START_MS = 1_790_000_000_000

function entryAt(i: number, random: Random, members: number): TimelineEntry {
  const originator = members + 1 + random.below(AUTHORS)
  return { sortAt: START_MS + 1e9 + i, rank: i & 0x7fff, item: 2 ** 31 + i * 2, originator }
}

/** Newest first. */
function fullTimeline(random: Random, members: number): TimelineEntry[] {
  const originator = members + 1 + random.below(AUTHORS)
  return Array.from({ length: TIMELINE_LENGTH }, (_, i) => ({
    sortAt: START_MS + (TIMELINE_LENGTH - i) * 1_000,
    rank: i,
    item: 2 * (TIMELINE_LENGTH - i),
    originator,
  }))
}
