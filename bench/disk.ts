// Disk usage per record, including all indexes and counts. All events of a small network
// (world/network-stream.ts), deletions included, are indexed in stream order as the ingest thread does it;
// then the pages of each table are counted (SQLite's dbstat). Whole pages are counted, with the free space
// that growth leaves in them, because that is what the file occupies.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, openReader } from '../src/data/store/db.ts'
import type { BenchOptions, BenchResult } from './runner/result.ts'
import { createNetworkStream } from './world/network-stream.ts'
import { openSeeder } from './world/seeding.ts'

/**
 * One day of the public stream is about 43 million events by a million accounts; this is a
 * thirtieth of it.
 */
const SIZES = {
  small: { events: 150_000, accounts: 10_000 },
  full: { events: 2_000_000, accounts: 100_000 },
}
const SPAN_US = 60 * 86_400 * 1e6

export function bench({ full }: Pick<BenchOptions, 'full'>): BenchResult[] {
  const { events, accounts } = full ? SIZES.full : SIZES.small
  const dataDir = mkdtempSync(join(tmpdir(), 'slipstream-disk-'))
  try {
    const stream = createNetworkStream(accounts, SPAN_US / events)
    const seeder = openSeeder(dataDir, 'network')
    const cpuBefore = process.cpuUsage()
    seeder.apply(stream.events(events))
    const { user, system } = process.cpuUsage(cpuBefore)
    seeder.finish()
    const applying = {
      name: 'disk.apply.cpu_per_event',
      value: (user + system) / events,
      unit: 'µs',
    }
    return [...measure(openReader(dataDir), stream.posts, stream.blocks()), applying]
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function measure(
  db: Db,
  written: { bytes: number; count: number },
  blocksMade: number,
): BenchResult[] {
  const bytesOf = readSizes(db)
  const present = count(db, 'SELECT count(*) FROM posts WHERE state = 1')
  const jsonBytes = written.bytes / written.count
  const posts = sum(bytesOf, ['posts', 'post_counts'])
  const likes = count(db, 'SELECT sum(likes) FROM post_counts')
  const follows = count(db, 'SELECT sum(follows_count) FROM actors')
  const perPost = posts / present
  const figures = [
    bytes('disk.post_json_bytes', jsonBytes),
    bytes('disk.bytes_per_post', perPost),
    { name: 'disk.post_json_ratio', value: perPost / jsonBytes, unit: 'of its JSON' },
    bytes('disk.bytes_per_like', sum(bytesOf, ['likes']) / likes),
    bytes('disk.bytes_per_follow', sum(bytesOf, ['follows']) / follows),
    bytes('disk.bytes_per_block', sum(bytesOf, ['blocks']) / blocksMade),
    bytes(
      'disk.bytes_per_repost',
      sum(bytesOf, ['reposts']) / count(db, 'SELECT count(*) FROM reposts'),
    ),
    bytes(
      'disk.bytes_per_actor',
      sum(bytesOf, ['actors']) / count(db, 'SELECT count(*) FROM actors'),
    ),
  ]
  if (process.env['DISK_TABLES']) console.error(bytesOf)
  db.close()
  return figures
}

const bytes = (name: string, value: number): BenchResult => ({ name, value, unit: 'B' })

/** Bytes of every table and index, by its name. */
function readSizes(db: Db): Map<string, number> {
  const select = db.prepare<[], [string, number]>(
    'SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE ORDER BY 2 DESC',
  )
  return new Map(select.raw().all() as unknown as [string, number][])
}

/** Total of these tables and their indexes, which are named after them. */
function sum(bytesOf: Map<string, number>, tables: string[]): number {
  let total = 0
  for (const [name, size] of bytesOf) {
    if (tables.some((table) => name === table || name.startsWith(`${table}_by_`))) total += size
  }
  return total
}

function count(db: Db, sql: string): number {
  return db.prepare<[], number>(sql).pluck().get() ?? 0
}
