// What members' logs cost a real engine of three nodes on this machine: a post to very many timelines, and
// pages of a very busy timeline, compared with the simple design: a single partition whose old entries are
// deleted one by one. Then the hot-shards store, with the measured costs of a write and a cut. Needs Java.

import { batchesOf } from '../../src/base/util/batches.ts'
import { connectEngine, type Engine } from '../../src/features/cluster/engine/connect.ts'
import {
  createFollowingLog,
  type FollowingLog,
} from '../../src/features/cluster/engine/following-log.ts'
import { migrateEngine } from '../../src/features/cluster/engine/schema.ts'
import {
  type CassandraCluster,
  startCassandra,
  whyNoCassandra,
} from '../../test/features/cluster/support/cassandra-cluster.ts'
import { didOf } from '../../test/support/records.ts'
import { compare, LARGE, SMALL, seeds } from '../hot-shards/compare.ts'
import { quantile } from '../runner/quantile.ts'
import type { BenchOptions, BenchResult } from '../runner/result.ts'
import { processorSeconds } from '../support/cpu-time.ts'

const KEYSPACE = 'slipstream_partitions'
const PATIENCE_MS = 30_000
const COPIES = 3
const AT_ONCE = 64
const PAGE = 50
const PAGES = 200
/**
 * Entries in one of our partitions; the next constant is how many are kept
 * (src/features/cluster/engine/following-log.ts).
 */
const CHUNK = 1_024
const CACHED = 16 * CHUNK
const TOGETHER = 32
const START_MS = Date.UTC(2026, 10, 23)
/** Every entry counts as committed; epochs are not measured here. */
const COMMITTED = new Map([[1, 1]])

type Sizes = { members: number; entries: number }

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const why = whyNoCassandra()
  if (why) {
    console.error(`NOT MEASURED: what logs cost an engine, since ${why}`)
    return []
  }
  const cluster = await startCassandra(COPIES)
  try {
    const settings = {
      engine: cluster.address(KEYSPACE),
      enginePasswordFile: undefined,
      engineCa: undefined,
    }
    const engine = await connectEngine(settings, PATIENCE_MS)
    await migrateEngine(engine, { replication: COPIES, datacenter: 'datacenter1' })
    const sizes = full ? { members: 20_000, entries: 90_000 } : { members: 1_000, entries: 20_000 }
    const results = [
      ...(await fannedOut(cluster, engine, sizes)),
      ...(await readBack(engine, sizes)),
    ]
    await engine.close()
    return [...results, ...simulated(results, full)]
  } finally {
    await cluster.stop()
  }
}

/** A post by a very popular author: one entry in each of many logs. */
async function fannedOut(
  cluster: CassandraCluster,
  engine: Engine,
  { members }: Sizes,
): Promise<BenchResult[]> {
  const log = createFollowingLog(engine)
  const all = Array.from({ length: members }, (_, i) => didOf(`member ${i}`))
  const entry = (n: number) => [{ uri: uriOf(n), at: START_MS + n }]
  const put = (number: number) =>
    inTurns(all, async (member) => {
      await log.put({ member, epoch: 1, flush: 1, number, items: entry(number) })
    })
  // The first entry of a log also begins its partition.
  await put(1)
  const before = engineSeconds(cluster)
  const startedAt = performance.now()
  const times = await put(2)
  const tookMs = performance.now() - startedAt
  const name = 'engine_partitions.post'
  return [
    { name: `${name}.members`, value: members, unit: 'members' },
    { name: `${name}.s`, value: tookMs / 1000, unit: 's' },
    { name: `${name}.put_p99_ms`, value: quantile(times, 0.99), unit: 'ms' },
    {
      name: `${name}.put.engine_cpu_ms`,
      value: (1000 * (engineSeconds(cluster) - before)) / members / COPIES,
      unit: 'ms a node',
    },
  ]
}

/** Reads pages from both ends of a long timeline, alternately. */
async function readBack(engine: Engine, { entries }: Sizes): Promise<BenchResult[]> {
  const member = didOf('hot')
  const log = createFollowingLog(engine)
  for (let number = 1; number <= entries; number += CHUNK) await putChunk(log, { member, number })
  const plain = await createPlain(engine)
  const cutMs = await plain.fill(member, entries)
  const ways = {
    newest: () => log.read({ member, at: entries + 1, isForward: false, limit: PAGE }, COMMITTED),
    oldest: () => log.read({ member, at: 0, isForward: true, limit: PAGE }, COMMITTED),
    'newest.baseline': () => plain.newest(member),
    'oldest.baseline': () => plain.oldest(member),
  }
  const times = await byTurns(ways)
  const name = 'engine_partitions.page'
  return [
    { name: `${name}.entries`, value: entries, unit: 'entries' },
    ...Object.entries(times).flatMap(([way, all]) => [
      { name: `${name}.${way}.p50_ms`, value: quantile(all, 0.5), unit: 'ms' },
      { name: `${name}.${way}.p99_ms`, value: quantile(all, 0.99), unit: 'ms' },
    ]),
    { name: 'engine_partitions.delete_one.baseline.ms', value: cutMs, unit: 'ms' },
  ]
}

async function putChunk(log: FollowingLog, { member, number }: { member: string; number: number }) {
  const items = Array.from({ length: CHUNK }, (_, i) => ({
    uri: uriOf(number + i),
    at: START_MS + number + i,
  }))
  await log.put({ member, epoch: 1, flush: 1, number, items })
}

/** One partition that keeps as many entries as ours; older ones are deleted one by one. */
async function createPlain(engine: Engine) {
  const table = `${engine.keyspace}.plain_log`
  await engine.define(
    `CREATE TABLE ${table} (member text, number int, at bigint, uri text, PRIMARY KEY (member, number))`,
  )
  const put = `INSERT INTO ${table} (member, number, at, uri) VALUES (?, ?, ?, ?)`
  const drop = `DELETE FROM ${table} WHERE member = ? AND number = ?`
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => from + i)
  return {
    /** @returns milliseconds per deleted entry */
    async fill(member: string, entries: number): Promise<number> {
      for (const some of batchesOf(numbers(1, entries + 1), TOGETHER)) {
        const rows = some.map((n) => ({ query: put, values: [member, n, START_MS + n, uriOf(n)] }))
        await engine.writeTogether(rows)
      }
      const old = numbers(1, Math.max(1, entries - CACHED + 1))
      const startedAt = performance.now()
      for (const some of batchesOf(old, TOGETHER)) {
        await engine.writeTogether(some.map((n) => ({ query: drop, values: [member, n] })))
      }
      return (performance.now() - startedAt) / Math.max(1, old.length)
    },
    newest: (member: string) =>
      engine.read(`SELECT * FROM ${table} WHERE member = ? ORDER BY number DESC LIMIT ${PAGE}`, [
        member,
      ]),
    oldest: (member: string) =>
      engine.read(`SELECT * FROM ${table} WHERE member = ? AND number > 0 LIMIT ${PAGE}`, [member]),
  }
}

/** @returns the page times of each way, ascending */
async function byTurns(ways: Record<string, () => Promise<unknown>>) {
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, [] as number[]]))
  for (let i = 0; i < PAGES; i++) {
    for (const [way, read] of Object.entries(ways)) {
      const startedAt = performance.now()
      await read()
      times[way]!.push(performance.now() - startedAt)
    }
  }
  for (const all of Object.values(times)) all.sort((a, b) => a - b)
  return times
}

/** @returns the times, ascending */
async function inTurns(members: readonly string[], work: (member: string) => Promise<void>) {
  const times: number[] = []
  const left = members.values()
  const worker = async () => {
    for (const member of left) {
      const startedAt = performance.now()
      await work(member)
      times.push(performance.now() - startedAt)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return times.sort((a, b) => a - b)
}

/**
 * Dropping a partition costs one extra write per 1,024 entries, however many were deleted before.
 */
function simulated(results: readonly BenchResult[], full: boolean): BenchResult[] {
  const measured = results.find(({ name }) => name === 'engine_partitions.post.put.engine_cpu_ms')!
  const costs = { writeMs: measured.value, cutMs: measured.value, cutMsPerRate: 0, cutEvery: CHUNK }
  const store = { ...(full ? LARGE : SMALL), ...costs }
  return compare('engine_partitions.simulated', store, seeds(full ? 5 : 1))
}

/** Processor time of all nodes since they started. */
function engineSeconds({ nodes }: CassandraCluster): number {
  return nodes.reduce((sum, { process }) => sum + processorSeconds(process.pid!), 0)
}

function uriOf(n: number): string {
  return `at://${didOf('author')}/app.bsky.feed.post/3l${String(n).padStart(11, '2')}`
}
