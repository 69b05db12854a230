// One post to all its author's followers, each of whom has a timeline in memory: milliseconds for 2,000,000
// of them, and writes per second. Each timeline is warm (its memory touched) and full, as in a running
// process. The baseline pushes to arrays in a Map, for a tenth as many. `….read_beside` is the time that
// another thread's reads of random timelines take during continuous fan-out, `….read_alone` without writes.
// Fan-out must not slow down serving.

import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import {
  createFollowGraph,
  createTimelines,
  openTimelines,
  type TimelineEntry,
  type TimelinesHandle,
} from '@slipstream/follow-graph'
import { createIsDrawn, drawByHash } from '../src/data/graph/lossiness.ts'
import { fanOut } from '../src/ingest/indexing/memory/fan-out.ts'
import { createRandom } from '../test/support/random.ts'
import { Histogram, type Quantiles } from './load/histogram.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { bestNs } from './support/cpu-time.ts'

const FOLLOWERS = 2_000_000
const NOBODY_IS_A_CELEBRITY = { flagsOf: () => 0 }
const PAGE = 50
const BATCH = 64

export async function bench({ full }: BenchOptions): Promise<BenchResult[]> {
  // A thousand entries each, as in production, would take 32 GB.
  const length = full ? 32 : 8
  const rings = createFullRings(FOLLOWERS, length)
  const ours = bestNs(FOLLOWERS, rings.write, 3)
  const alone = await readRandomly(rings.handle, () => {})
  const sideRoutes = await readRandomly(rings.handle, () => {
    rings.write()
    rings.write()
  })
  const baseline = measureArrays(FOLLOWERS / 10, length)
  return [
    { name: 'fanout.2m.ms', value: (ours * FOLLOWERS) / 1e6, unit: 'ms' },
    { name: 'fanout.writes_per_s', value: 1e9 / ours, unit: '/s' },
    { name: 'fanout.writes_per_s.baseline', value: 1e9 / baseline, unit: '/s' },
    { name: 'fanout.writes_per_s.ratio', value: baseline / ours, unit: 'x' },
    { name: 'fanout.write.ns', value: ours, unit: 'ns' },
    { name: 'fanout.read_alone.p99_us', value: alone.p99 * 1000, unit: 'µs' },
    { name: 'fanout.read_beside.p99_us', value: sideRoutes.p99 * 1000, unit: 'µs' },
  ]
}

function entryAt(i: number, originator: number): TimelineEntry {
  return { sortAt: 1_790_000_000_000 + i, rank: i & 0x7fff, item: i * 2, originator }
}

function createFullRings(followers: number, length: number) {
  const graph = createFollowGraph()
  const timelines = createTimelines(length)
  const originator = followers + 1
  for (let uid = 1; uid <= followers; uid++) {
    graph.add(uid, originator)
    timelines.open(uid, [], false)
  }
  const isHashDrawn = createIsDrawn({
    graph,
    limit: 2_000,
    draw: drawByHash({ hashOf: (uid) => uid }),
  })
  const parts = { graph, timelines, isHashDrawn, actors: NOBODY_IS_A_CELEBRITY }
  let i = 1
  const write = () => {
    const written = fanOut(parts, entryAt(i++, originator), i).written
    if (written !== followers) throw new Error(`${written} of ${followers} timelines were written`)
  }
  for (let round = 0; round < length; round++) write()
  return { write, handle: timelines.handle }
}

function measureArrays(followers: number, length: number): number {
  const timelines = new Map<number, TimelineEntry[]>()
  const list = new Set<number>()
  for (let uid = 1; uid <= followers; uid++) {
    timelines.set(uid, [])
    list.add(uid)
  }
  let i = 1
  const write = () => {
    const entry = entryAt(i++, followers + 1)
    for (const uid of list) {
      const timeline = timelines.get(uid)!
      timeline.push(entry)
      if (timeline.length > length) timeline.shift()
    }
  }
  for (let round = 0; round < length; round++) write()
  return bestNs(followers, write)
}

/**
 * Milliseconds per batch of reads while `work` runs on this thread; lasts at least half a second.
 */
async function readRandomly(handle: TimelinesHandle, work: () => void): Promise<Quantiles> {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(new URL(import.meta.url), { workerData: { handle, stop } })
  await new Promise((resolve) => worker.once('message', resolve))
  const startedAt = performance.now()
  work()
  await new Promise((r) => setTimeout(r, Math.max(0, 500 - (performance.now() - startedAt))))
  const report = new Promise<Quantiles>((resolve) => worker.once('message', resolve))
  Atomics.store(stop, 0, 1)
  const quantiles = await report
  await worker.terminate()
  return quantiles
}

/** A batch is long compared with both the cost and the resolution of the clock. */
function readUntilStopped({ handle, stop }: { handle: TimelinesHandle; stop: Int32Array }): void {
  const reader = openTimelines(handle)
  const random = createRandom(3)
  const histogram = new Histogram()
  parentPort!.postMessage('ready')
  while (Atomics.load(stop, 0) === 0) {
    const startedAt = performance.now()
    for (let i = 0; i < BATCH; i++) reader.read(1 + random.below(FOLLOWERS), undefined, PAGE)
    histogram.record(((performance.now() - startedAt) * 1000) / BATCH)
  }
  parentPort!.postMessage(histogram.quantiles())
}

if (!isMainThread && workerData?.handle) readUntilStopped(workerData)
