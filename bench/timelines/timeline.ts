// A page of a viewer's home timeline as ids (answers/skeleton/timeline.ts, as getTimeline calls it), for
// viewers with 100, 100,000 and 1,000,000 follows whose timelines were filled as posts arrived. Covers
// everything: the ring, merged celebrities, the viewer's own posts from rows, and the cursor with its CID.
// The baseline merges the newest posts of each followed account at read time.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createFollowGraph,
  createTimelines,
  openFollowGraph,
  openTimelines,
  type TimelineEntry,
} from '@slipstream/follow-graph'
import { createViewCache } from '../../src/answers/cache/view-cache.ts'
import { createHydrator } from '../../src/answers/hydrate/hydrator.ts'
import { createReader } from '../../src/answers/hydrate/reader.ts'
import { createTimelineSkeleton } from '../../src/answers/skeleton/timeline.ts'
import { createMediaUrls } from '../../src/answers/views/media-urls.ts'
import { loadConfig } from '../../src/base/config/config.ts'
import { createIsDrawn, hashDraw } from '../../src/data/graph/lossiness.ts'
import {
  InvalidationReader,
  InvalidationWriter,
} from '../../src/data/shared-memory/invalidation-ring.ts'
import { type Db, openReader } from '../../src/data/store/db.ts'
import { createMergedFeed, type MergedFeed } from '../../src/data/store/timelines/merged-feed.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import { didOf, tidAt } from '../../test/support/records.ts'
import type { BenchOptions, BenchResult } from '../runner/result.ts'
import { bestNs, sink } from '../support/cpu-time.ts'
import { quickCid } from '../world/quick-cid.ts'
import { openSeeder } from '../world/seeding.ts'

const VIEWERS = 50
const LENGTH = 1_000
const PAGE = 50
const READS = 2_000
const AUTHOR = didOf('bench author')
const START_MS = Date.parse('2026-11-01T12:00:00.000Z')
const SIZES: [string, number][] = [
  ['100', 100],
  ['100k', 100_000],
  ['1m', 1_000_000],
]

/**
 * `….ring.us` only reads the ring, as another thread does (through the handle). `….deep` begins in
 * the middle of the ring. `….served` is the first page as read between requests: its posts were
 * shown before, so their CIDs come from cached fragments instead of rows.
 */
export function bench(_options: BenchOptions): BenchResult[] {
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-bench-'))
  const author = seedPosts(dataDir)
  const results = SIZES.flatMap(([label, follows]) => measure(dataDir, { label, follows, author }))
  rmSync(dataDir, { recursive: true, force: true })
  const usual = results.find(({ name }) => name === 'timeline.skeleton.100k.us')!
  return [{ ...usual, name: 'timeline.skeleton.us' }, ...results]
}

/**
 * Inserts as many posts as a ring holds; the cursor's CID comes from their rows.
 * @returns their author
 */
function seedPosts(dataDir: string): number {
  const seeder = openSeeder(dataDir, 'network')
  seeder.apply(
    Array.from({ length: LENGTH }, (_, i) => {
      const atMs = START_MS + i * 1_000
      const [collection, rkey] = ['app.bsky.feed.post', tidAt(atMs * 1000)]
      return {
        kind: 'commit' as const,
        operation: 'create' as const,
        did: AUTHOR,
        timeUs: atMs * 1000,
        seq: undefined,
        rev: rkey,
        collection,
        rkey,
        cid: quickCid(AUTHOR, rkey),
        record: { $type: collection, text: 'A post', createdAt: new Date(atMs).toISOString() },
      }
    }),
  )
  seeder.finish()
  return seeder.uidOf(AUTHOR)
}

type Shape = { label: string; follows: number; author: number }

function measure(dataDir: string, { label, follows, author }: Shape): BenchResult[] {
  const db = openReader(dataDir)
  const { reader, skeleton, viewers } = createReading(db, { follows, author })
  let i = 0
  const next = () => viewers[i++ % viewers.length]!
  const read = (cursor: string | undefined) =>
    skeleton({ viewer: next(), limit: PAGE, cursor, since: undefined })
  const deep = cursorAt(read, 10)
  const complete = timed(() => read(undefined).items.length)
  const middle = timed(() => read(deep).items.length)
  const ring = timed(() => reader.read(next(), undefined, PAGE)!.entries.length)
  const served = measureServed(db, { follows, author })
  const baseline = measureMerge(follows)
  db.close()
  const name = `timeline.skeleton.${label}`
  return [
    { name: `${name}.us`, value: complete / 1000, unit: 'µs' },
    { name: `${name}.deep.us`, value: middle / 1000, unit: 'µs' },
    { name: `${name}.served.us`, value: served / 1000, unit: 'µs' },
    { name: `${name}.ring.us`, value: ring / 1000, unit: 'µs' },
    { name: `${name}.baseline.us`, value: baseline / 1000, unit: 'µs' },
    { name: `${name}.ratio`, value: baseline / complete, unit: 'x' },
  ]
}

/** @returns nanoseconds per page */
function measureServed(db: Db, shape: Omit<Shape, 'label'>): number {
  const viewCache = createServing(db, shape.author)
  const { skeleton, viewers } = createReading(db, shape, viewCache.feedOver(db))
  let i = 0
  const read = () =>
    skeleton({
      viewer: viewers[i++ % viewers.length]!,
      limit: PAGE,
      cursor: undefined,
      since: undefined,
    })
  for (let n = 0; n < viewers.length; n++) viewCache.items(read().items, createReader(undefined))
  return timed(() => read().items.length)
}

function createServing(db: Db, author: number) {
  const actors = {
    count: author,
    uidOf: (did: string) => (did === AUTHOR ? author : 0),
    didOf: () => AUTHOR,
    hashOf: (uid: number) => uid,
    flagsOf: () => 0,
    memberFollowersOf: () => 1,
    celebrities: () => [],
    authorMoves: 0,
  }
  const urls = createMediaUrls(loadConfig({}, '/nonexistent/.env'))
  return createViewCache({
    hydrator: createHydrator({ db, actors, graph: createFollowGraph(), urls }),
    invalidations: new InvalidationReader(new InvalidationWriter().buffer),
    maxBytes: 96 << 20,
  })
}

/** The viewers' uids follow the seeded author's; all follow the same accounts. */
function createReading(
  db: Db,
  { follows, author }: Omit<Shape, 'label'>,
  feed: MergedFeed = createMergedFeed(db),
) {
  const timelines = createTimelines(LENGTH)
  const graph = createFollowGraph()
  const random = createRandom(follows)
  // Fifty viewers with a million follows each would measure the same as one.
  const count = Math.max(1, Math.min(VIEWERS, Math.floor(2_000_000 / follows)))
  const viewers = Array.from({ length: count }, (_, i) => author + 1 + i)
  for (const viewer of viewers) {
    for (let n = 0; n < follows; n++) graph.add(viewer, author + 1_000 + n)
    graph.add(viewer, author)
    timelines.open(viewer, makeEntries(random, author), true)
  }
  const reader = openTimelines(timelines.handle)
  const shared = openFollowGraph(graph.handle)
  const actors = {
    count: author + follows,
    uidOf: () => 0,
    didOf: () => '',
    hashOf: (uid: number) => uid,
  }
  const skeleton = createTimelineSkeleton({
    graph: shared,
    actors: {
      ...actors,
      flagsOf: () => 0,
      memberFollowersOf: () => 1,
      celebrities: () => [],
      authorMoves: 0,
    },
    timelines: reader,
    feed,
    isDrawn: createIsDrawn({ graph: shared, limit: 10_000_000, draw: hashDraw }),
  })
  return { reader, skeleton, viewers }
}

/** Posts by the seeded author, because the cursor names one by its CID. */
function makeEntries(random: Random, author: number): TimelineEntry[] {
  return Array.from({ length: LENGTH }, (_, i) => ({
    sortAt: START_MS + i * 1_000,
    rank: random.below(32_768),
    item: (i + 1) * 2,
    originator: author,
  }))
}

function cursorAt(
  read: (cursor: string | undefined) => { cursor: string | undefined },
  pages: number,
): string | undefined {
  let cursor: string | undefined
  for (let i = 0; i < pages; i++) cursor = read(cursor).cursor
  return cursor
}

/** Nanoseconds per call. */
function timed(read: () => number): number {
  return bestNs(READS, () => {
    for (let i = 0; i < READS; i++) sink.value += read()
  })
}

/** Takes the newest post of each account and selects the best fifty by bounded insertion. */
function measureMerge(follows: number): number {
  const random = createRandom(follows + 1)
  const newest = Float64Array.from({ length: follows }, () => START_MS + random.below(1e9))
  const reads = Math.max(1, Math.floor(1_000_000 / follows))
  return bestNs(reads, () => {
    for (let i = 0; i < reads; i++) sink.value += pickNewest(newest).length
  })
}

function pickNewest(newest: Float64Array): number[] {
  const best: number[] = []
  for (let i = 0; i < newest.length; i++) {
    const time = newest[i]!
    if (best.length === PAGE && time <= best[PAGE - 1]!) continue
    let at = best.length < PAGE ? best.length : PAGE - 1
    for (; at > 0 && best[at - 1]! < time; at--) best[at] = best[at - 1]!
    best[at] = time
  }
  return best
}
