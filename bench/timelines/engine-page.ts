// What a page of getTimeline costs if another node has the member's bucket, compared with the same page from
// a ring, over a real engine of three nodes on this machine: handler and driver, without HTTP and JWT. Needs
// Java. `ring`: from memory. `rows`: merged from rows, like the first page. `engine`: fetches the end of the
// member's log again (no request waits for this) and builds a page from it. `guest`: the log was fetched for
// an earlier page, and this node's own rows supply the newer items. The ways are measured alternately.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTimelines } from '@slipstream/follow-graph'
import { followsDigest } from '../../src/data/graph/follows-digest.ts'
import { createIsDrawn } from '../../src/data/graph/lossiness.ts'
import { MEMBER } from '../../src/data/graph/types.ts'
import { INVALIDATION } from '../../src/data/shared-memory/invalidation-kinds.ts'
import { InvalidationReader } from '../../src/data/shared-memory/invalidation-ring.ts'
import { type Db, openReader, openWriter } from '../../src/data/store/db.ts'
import { prepareItemDraw } from '../../src/data/store/read/timelines/item-draw.ts'
import { bucketOf } from '../../src/features/cluster/engine/buckets.ts'
import { connectEngine, type Engine } from '../../src/features/cluster/engine/connect.ts'
import { createFollowingEpochs } from '../../src/features/cluster/engine/following-epochs.ts'
import { createFollowingLog } from '../../src/features/cluster/engine/following-log.ts'
import { createHeldBuckets } from '../../src/features/cluster/engine/held-buckets.ts'
import { migrateEngine } from '../../src/features/cluster/engine/schema.ts'
import { createArrivalTail } from '../../src/features/cluster/sharing/arrival-tail.ts'
import { createGuestTimelines } from '../../src/features/cluster/sharing/guest-timelines.ts'
import { createSharedHomes } from '../../src/features/cluster/sharing/shared-homes.ts'
import { prepareReaders } from '../../src/features/timelines/sources/open-sources.ts'
import {
  startCassandra,
  whyNoCassandra,
} from '../../test/features/cluster/support/cassandra-cluster.ts'
import { didOf } from '../../test/support/records.ts'
import {
  addViewer,
  createAsking,
  createMemory,
  type Memory,
  START_MS,
  seed,
} from '../get-timeline.ts'
import type { BenchOptions, BenchResult } from '../runner/result.ts'

const KEYSPACE = 'slipstream_bench'
const FOLLOWS = [100, 1000]
const WARM_UP = 200
const PATIENCE_MS = 30_000
const MEBIBYTE = 2 ** 20
const MANY_GUESTS = 1_000
/** The log's position covers arrivals while the rows were written. */
const AHEAD_MS = 60_000

type Way = 'ring' | 'guest' | 'engine' | 'rows'
type Page = { way: Way; make: () => Promise<unknown> | unknown; cpuMs: number; times: number[] }

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  const why = whyNoCassandra()
  if (why) {
    console.error(`NOT MEASURED: pages from an engine, since ${why}`)
    return []
  }
  const cluster = await startCassandra(3)
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  try {
    const engine = cluster.address(KEYSPACE)
    const settings = { engine, enginePasswordFile: undefined, engineCa: undefined }
    const client = await connectEngine(settings, PATIENCE_MS)
    await migrateEngine(client, { replication: 3, datacenter: 'datacenter1' })
    const results = await measureAll(client, dataDir, full ? 30 : 8)
    await client.close()
    return results
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
    await cluster.stop()
  }
}

async function measureAll(engine: Engine, dataDir: string, rounds: number) {
  const writer = openWriter(dataDir)
  const memory = createMemory()
  seed(writer, memory, { busy: 3_000, postsEach: 20 })
  const db = openReader(dataDir)
  const results: BenchResult[] = []
  for (const follows of FOLLOWS) {
    const did = didOf(`follows ${follows}`)
    addViewer(writer, memory, did, { follows, from: 1_000 })
    memory.actors.setFlags(memory.actors.uidOf(did), MEMBER)
    await writeLog(engine, db, memory, did)
    const pages = await measurePages(await pagesOf(engine, db, memory, did), rounds)
    results.push(...pages.flatMap((page) => figuresOf(`engine_page.follows_${follows}`, page)))
  }
  results.push(...measureMemory(engine, db, memory))
  db.close()
  writer.close()
  return results
}

/** Writes the log as the node with the member's bucket would. */
async function writeLog(engine: Engine, db: Db, memory: Memory, did: string): Promise<void> {
  const { actors, graph, timelines } = memory
  const [log, epochs] = [createFollowingLog(engine), createFollowingEpochs(engine)]
  const uid = actors.uidOf(did)
  const { logged } = prepareReaders({ db, actors, graph })
  const newest = timelines.read(uid, undefined, 200)!.entries.map(({ item }) => item)
  const items = [...logged.byItem(newest).values()].sort((a, b) => a.sortAt - b.sortAt)
  const named = items.map(({ uri, sortAt }) => ({ uri, at: sortAt }))
  const bucket = bucketOf(did)
  const follows = followsDigest(graph, actors, uid)
  await epochs.begin(new Map([[bucket, 1]]))
  await log.put({ member: did, epoch: 1, flush: 1, number: 1, items: named, follows })
  await epochs.commit([{ bucket, epoch: 1, flush: 1, position: Date.now() + AHEAD_MS }])
}

/** The homes of a serving thread that has cached nothing yet. */
function openHomes(engine: Engine, db: Db, memory: Memory) {
  const { actors, graph } = memory
  const cluster = { following: createFollowingLog(engine), epochs: createFollowingEpochs(engine) }
  const readers = prepareReaders({ db, actors, graph })
  const isDrawn = createIsDrawn({ graph, limit: 2_000, draw: prepareItemDraw(db, actors) })
  const tail = createArrivalTail(readers.arrivals)
  const items = readers.logged
  const invalidations = new InvalidationReader(memory.invalidations.buffer)
  const guests = createGuestTimelines({ actors, graph, isDrawn, items, tail, invalidations })
  const homes = createSharedHomes({
    cluster: async () => cluster,
    db,
    actors,
    graph,
    items,
    tail,
    guests,
    rings: createTimelines(1),
    held: createHeldBuckets(),
    isPublished: () => true,
    writer: { send: async () => undefined },
    log: console,
  })
  return { homes, guests }
}

async function pagesOf(engine: Engine, db: Db, memory: Memory, did: string): Promise<Page[]> {
  const viewer = { did, uid: memory.actors.uidOf(did) }
  const stored = openHomes(engine, db, memory)
  const anew = openHomes(engine, db, memory)
  const ring = createAsking(db, memory)
  const rows = createAsking(db, memory, createTimelines(1))
  const [fromStored, fromAnew] = [stored, anew].map(({ homes }) =>
    createAsking(db, memory, homes.timelines),
  ) as [typeof ring, typeof ring]
  const makes: Record<Way, Page['make']> = {
    ring: () => ring(did),
    rows: () => rows(did),
    async guest() {
      await stored.homes.requested(viewer)
      fromStored(did)
    },
    async engine() {
      // Drops the viewer's cached state, as a change to their follows does.
      memory.invalidations.add(INVALIDATION.relation, viewer.uid, 0)
      anew.homes.requested(viewer)
      await anew.homes.requested(viewer)
      fromAnew(did)
    },
  }
  const expected = ring(did)
  await makes.engine()
  const isSame = expected.equals(fromAnew(did)) && expected.equals(rows(did))
  if (!isSame || anew.homes.counts().used === 0) throw new Error('the pages differ')
  return Object.entries(makes).map(([way, make]) => ({
    way: way as Way,
    make,
    cpuMs: 0,
    times: [],
  }))
}

/** A hundred pages of one kind, then of the next. */
async function measurePages(pages: Page[], rounds: number): Promise<Page[]> {
  for (const { make } of pages) for (let i = 0; i < WARM_UP; i++) await make()
  for (let round = 0; round < rounds; round++) {
    for (const page of pages) {
      const before = process.cpuUsage()
      for (let i = 0; i < 100; i++) {
        const startedAt = performance.now()
        await page.make()
        page.times.push(performance.now() - startedAt)
      }
      const { user, system } = process.cpuUsage(before)
      page.cpuMs += (user + system) / 1000
    }
  }
  return pages
}

function figuresOf(name: string, { way, cpuMs, times }: Page): BenchResult[] {
  const sorted = times.toSorted((a, b) => a - b)
  return [
    { name: `${name}.${way}.cpu_ms`, value: cpuMs / times.length, unit: 'ms' },
    { name: `${name}.${way}.p99_ms`, value: sorted[Math.floor(times.length * 0.99)]!, unit: 'ms' },
  ]
}

/**
 * Memory per member: of a ring, and of the state kept for a member whose bucket another node has.
 */
function measureMemory(engine: Engine, db: Db, memory: Memory): BenchResult[] {
  const { guests } = openHomes(engine, db, memory)
  const { logged } = prepareReaders({ ...memory, db })
  const [uid] = memory.timelines.owners()
  const newest = memory.timelines.read(uid!, undefined, 128)!.entries.map(({ item }) => item)
  const items = [...logged.byItem(newest).values()]
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  for (let i = 1; i <= MANY_GUESTS; i++) {
    guests.begin(i, { items, floor: 0, seq: START_MS })
  }
  globalThis.gc?.()
  const guest = (process.memoryUsage().heapUsed - before) / MANY_GUESTS
  if (guests.size() !== MANY_GUESTS) throw new Error('some timelines were not kept')
  return [
    { name: 'engine_page.guest_kib', value: guest / 1024, unit: 'KiB' },
    { name: 'engine_page.ring_kib', value: (memory.timelineLength * 16) / 1024, unit: 'KiB' },
    { name: 'engine_page.guests_most_mib', value: (guest * 2_000) / MEBIBYTE, unit: 'MiB' },
  ]
}
