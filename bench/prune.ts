// How fast old records are pruned and a member's circle is removed, and what that delays: the longest
// transaction is how long the stream waits, and a reader on another thread measures how long a request waits.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Db, openWriter } from '../src/data/store/db.ts'
import { copyLog } from '../src/data/store/files/checkpoint.ts'
import { fileSize } from '../src/data/store/files/file-size.ts'
import { memberSeen, removeMember } from '../src/ingest/indexing/members/members.ts'
import { rebuildMemory } from '../src/ingest/indexing/memory/rebuild-memory.ts'
import { pruneSlice } from '../src/ingest/indexing/retention/prune-old.ts'
import { sweepCandidates } from '../src/ingest/indexing/retention/sweep-candidates.ts'
import { createWriter } from '../src/ingest/indexing/writer.ts'
import { GC_CANDIDATES_AT_ONCE, SLICE_MS, timeIsUp } from '../src/ingest/upkeep/retaining.ts'
import { createMemoryParts } from '../test/support/memory-parts.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { createNetworkStream } from './world/network-stream.ts'
import { openSeeder } from './world/seeding.ts'

const SIZES = {
  small: { events: 100_000, accounts: 6_000 },
  full: { events: 1_000_000, accounts: 60_000 },
}
const SPAN_MS = 60 * 86_400_000
const SLICES_A_CHECKPOINT = 20

export async function bench({ full }: Pick<BenchOptions, 'full'>): Promise<BenchResult[]> {
  const { events, accounts } = full ? SIZES.full : SIZES.small
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-prune-'))
  try {
    const stream = createNetworkStream(accounts, (SPAN_MS * 1000) / events)
    const seeder = openSeeder(dataDir, 'network')
    seeder.apply(stream.events(events))
    seeder.finish()
    return await measure(dataDir)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function measure(dataDir: string): Promise<BenchResult[]> {
  const db = openWriter(dataDir)
  const memory = createMemoryParts({
    timelineLength: 1_000,
    reasonableLimit: 2_000,
    celebrityThreshold: 10_000,
  })
  rebuildMemory(db, memory)
  const made = (scope: 'network' | 'community') =>
    createWriter({ db, memory, scope, now: Date.now })
  const network = made('network')
  const community = made('community')
  const before = fileSize(db)
  const limits = limitsOf(db)
  const reader = await startReader(dataDir)
  const pruning = measureSlices(db, () => {
    const pruned = network.commit((ctx) => pruneSlice(ctx, limits, timeIsUp(SLICE_MS)))
    return { rows: pruned.posts + pruned.likes + pruned.reposts, isOver: pruned.isPassOver }
  })
  const pruned = fileSize(db)
  const someone = mostFollowing(db)
  community.commit((ctx) => memberSeen(ctx, someone))
  community.commit((ctx) => removeMember(ctx, someone))
  const rows = () =>
    count(db, 'SELECT count(*) FROM posts') + count(db, 'SELECT sum(likes) FROM post_counts')
  const rowsBefore = rows()
  const leaving = measureSlices(db, () => {
    const isLeft = community.commit((ctx) =>
      sweepCandidates(ctx, GC_CANDIDATES_AT_ONCE, timeIsUp(SLICE_MS)),
    )
    return { rows: 0, isOver: !isLeft }
  })
  leaving.rows = rowsBefore - rows()
  const longestRequestMs = await reader.stop()
  db.close()
  return [
    ...figures('prune.old', pruning),
    ...figures('prune.leaving', leaving),
    { name: 'prune.request.longest', value: longestRequestMs, unit: 'ms' },
    { name: 'prune.freed', value: 1 - pruned.live / before.live, unit: 'of the file' },
  ]
}

type Slices = { rows: number; seconds: number; longestMs: number }

function measureSlices(db: Db, slice: () => { rows: number; isOver: boolean }): Slices {
  const sum = { rows: 0, seconds: 0, longestMs: 0 }
  for (let i = 0, isOver = false; !isOver; i++) {
    const began = performance.now()
    const done = slice()
    const tookMs = performance.now() - began
    isOver = done.isOver
    sum.rows += done.rows
    sum.seconds += tookMs / 1000
    sum.longestMs = Math.max(sum.longestMs, tookMs)
    if (i % SLICES_A_CHECKPOINT === 0) copyLog(db)
  }
  return sum
}

function figures(name: string, { rows, seconds, longestMs }: Slices): BenchResult[] {
  return [
    { name: `${name}.rows_per_s`, value: rows / seconds, unit: 'rows/s' },
    { name: `${name}.longest_slice`, value: longestMs, unit: 'ms' },
  ]
}

/** Drops everything in the older half of the time span. */
function limitsOf(db: Db) {
  const half = count(db, 'SELECT (min(sort_at) + max(sort_at)) / 2 FROM posts WHERE state = 1')
  return { strangersBefore: half, neighboursBefore: half }
}

function mostFollowing(db: Db): string {
  const sql = 'SELECT did FROM actors ORDER BY follows_count DESC LIMIT 1'
  return db.prepare<[], string>(sql).pluck().get()!
}

function count(db: Db, sql: string): number {
  return db.prepare<[], number>(sql).pluck().get() ?? 0
}

/** Reads a page of some feed repeatedly. */
async function startReader(dataDir: string): Promise<{ stop(): Promise<number> }> {
  const worker = new Worker(new URL('./world/pruned-reader.ts', import.meta.url), {
    workerData: { dataDir },
  })
  await new Promise((resolve) => worker.once('message', resolve))
  return {
    stop: () =>
      new Promise((resolve) => {
        worker.once('message', (longestMs: number) => {
          resolve(longestMs)
          void worker.terminate()
        })
        worker.postMessage('stop')
      }),
  }
}
