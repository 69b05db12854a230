// Compares our follow-graph sets with those that others use, in one run over the same accounts: a Map of
// Sets, open addressing in an Int32Array, roaring bitmaps (beside/roaring.ts), and Redis or Valkey
// (beside/redis.ts). The run names any that are not available and skips them. The figures that others
// published are in docs/notes/2026-11-23-beside-redis-and-roaring.md.

import { createFollowGraph, openFollowGraph } from '@slipstream/follow-graph'
import { createRandom } from '../test/support/random.ts'
import { type Redis, startRedis } from './beside/redis.ts'
import { loadRoaring, type Roaring } from './beside/roaring.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { bestNs, sink } from './support/cpu-time.ts'
import {
  type Contestant,
  drawQuestions,
  mapOfSets,
  measure,
  openAddressing,
  type Shape,
} from './support/graph-lists.ts'
import { oneDirection } from './support/our-lists.ts'

const BATCH = 256
/** For Redis, whose processor time is reported in hundredths of a second. */
const COMMANDS = 400_000
const ACCOUNTS = 1_000_000
const FOLLOWS = 1_000
const FOLLOWERS = 100_000
const INTERSECTIONS = 500

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const roaring = await loadRoaring()
  if (!roaring) console.error('NOT MEASURED: roaring bitmaps, which npm can’t bring')
  const redis = await startRedis()
  if (!redis)
    console.error('NOT MEASURED: Redis, since neither valkey-server nor redis-server is installed')
  const results: BenchResult[] = []
  for (const shape of shapes(full)) {
    results.push(...inProcess(shape, roaring))
    if (redis) results.push(...(await inRedis(shape, redis, full)))
  }
  results.push(...(await intersections(roaring, redis)))
  await redis?.close()
  return results
}

function shapes(full: boolean): Shape[] {
  const all = [
    { label: '100', length: 100, lists: 200 },
    { label: '1k', length: 1_000, lists: 50 },
    { label: '100k', length: 100_000, lists: 1 },
  ]
  return full ? all : all.slice(0, 1)
}

function inProcess(shape: Shape, roaring: Roaring | undefined): BenchResult[] {
  const contestants: Record<string, Contestant> = {
    ours: oneDirection(BATCH),
    map_of_sets: mapOfSets(),
    open_addressing: openAddressing(),
    ...(roaring && { roaring: roaring.sets() }),
  }
  const all = measure(contestants, shape, drawQuestions(shape))
  return Object.entries(all).flatMap(([who, { best }]) => {
    const of = { add: best.add, contains: best.hit, remove: best.remove }
    return Object.entries(of).map(([what, value]) => ({
      name: `beside.${what}.${shape.label}.${who}.ns`,
      value,
      unit: 'ns',
    }))
  })
}

async function inRedis(
  { label, length }: Shape,
  redis: Redis,
  full: boolean,
): Promise<BenchResult[]> {
  const lists = Math.ceil((full ? COMMANDS : COMMANDS / 10) / length)
  const { members } = drawQuestions({ label, length, lists })
  const all = (command: string) =>
    Array.from(members, (uid, i) => `${command} list${Math.floor(i / length)} ${uid}`)
  const results: BenchResult[] = []
  const kinds = { add: 'SADD', contains: 'SISMEMBER', remove: 'SREM' }
  for (const [what, command] of Object.entries(kinds)) {
    const { server, both } = await redis.run(all(command))
    results.push(
      { name: `beside.${what}.${label}.redis.ns`, value: server, unit: 'ns' },
      { name: `beside.${what}.${label}.redis.with_client.ns`, value: both, unit: 'ns' },
    )
  }
  return results
}

/**
 * Counts how many of one account's thousand follows are among another's hundred thousand followers.
 */
async function intersections(
  roaring: Roaring | undefined,
  redis: Redis | undefined,
): Promise<BenchResult[]> {
  const random = createRandom(5)
  const draw = (count: number) =>
    Int32Array.from({ length: count }, () => 1 + random.below(ACCOUNTS))
  const [follows, followers] = [draw(FOLLOWS), draw(FOLLOWERS)]
  const ways: Record<string, () => number> = {
    ours: ourIntersection(follows, followers),
    map_of_sets: setIntersection(follows, followers),
    ...(roaring && { roaring: roaring.inBoth(follows, followers) }),
  }
  const found = new Set(Object.values(ways).map((way) => way()))
  if (found.size !== 1) throw new Error(`the results differ: ${[...found].join()}`)
  const results = Object.entries(ways).map(([who, way]) => {
    const ns = bestNs(INTERSECTIONS, () => {
      for (let i = 0; i < INTERSECTIONS; i++) sink.value += way()
    })
    return { name: `beside.intersect.${who}.us`, value: ns / 1000, unit: 'µs' }
  })
  return redis ? [...results, ...(await redisIntersection(redis, follows, followers))] : results
}

function ourIntersection(follows: Int32Array, followers: Int32Array): () => number {
  const graph = createFollowGraph()
  const [viewer, subject] = [ACCOUNTS + 1, ACCOUNTS + 2]
  for (const uid of follows) graph.add(viewer, uid)
  for (const uid of followers) graph.add(uid, subject)
  const reader = openFollowGraph(graph.handle)
  return () => reader.knownFollowersCount(viewer, subject)
}

function setIntersection(follows: Int32Array, followers: Int32Array): () => number {
  const [smaller, larger] = [new Set(follows), new Set(followers)]
  return () => {
    let count = 0
    for (const uid of smaller) if (larger.has(uid)) count++
    return count
  }
}

async function redisIntersection(
  redis: Redis,
  follows: Int32Array,
  followers: Int32Array,
): Promise<BenchResult[]> {
  await redis.run(Array.from(follows, (uid) => `SADD follows ${uid}`))
  await redis.run(Array.from(followers, (uid) => `SADD followers ${uid}`))
  const command = 'SINTERCARD 2 follows followers'
  const { server, both } = await redis.run(
    Array.from({ length: INTERSECTIONS * 10 }, () => command),
  )
  return [
    { name: 'beside.intersect.redis.us', value: server / 1000, unit: 'µs' },
    { name: 'beside.intersect.redis.with_client.us', value: both / 1000, unit: 'µs' },
  ]
}
