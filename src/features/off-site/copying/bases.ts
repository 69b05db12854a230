// The whole database in chunks. It is read while it is written, each chunk at another moment, so it is not
// consistent by itself: every page that changed since reading began is also in a change. The base names the first
// of these changes and the one with which it is complete (like a fuzzy checkpoint of a redo log).

import { setImmediate as turn } from 'node:timers/promises'
import { createLimiter } from '../../../base/util/limiter.ts'
import { version } from '../../../base/util/version.ts'
import { schemaVersion } from '../../../data/store/migrate.ts'
import type { ChangedPages } from '../store/changed-pages.ts'
import type { Changes, Shipped } from './changes.ts'
import { CHUNK_BYTES, type Chunks } from './chunks.ts'
import { baseName } from './names.ts'
import type { Objects } from './objects.ts'

export type Base = {
  run: string
  /** The changes that complete it: those of `run` from here … */
  from: number
  /** … to here at least. */
  through: number
  /** The time of its state with `through`; our clock, milliseconds. */
  at: number
  pageSize: number
  chunkPages: number
  /** Length of the database in pages when reading began. */
  count: number
  /** Hashes, in the database's order. */
  chunks: string[]
  schema: number
  version: string
}

type ShippedBase = { name: string; base: Base; change: Shipped; sent: number }

/** Chunks in flight: each takes its size in memory a few times. */
const AT_ONCE = 4

/** @throws BucketError; chunks that were sent stay for the next attempt */
export async function shipBase(parts: {
  run: string
  pages: ChangedPages
  changes: Changes
  chunks: Chunks
  objects: Objects
  now: () => number
  onProgress?: (done: number, total: number) => void
  signal?: AbortSignal
}): Promise<ShippedBase> {
  const { run, pages, changes, objects, now, signal } = parts
  const { pageSize } = pages
  pages.advance()
  const from = changes.next()
  const count = pages.count()
  const { hashes, sent } = await shipChunks(parts, count)
  signal?.throwIfAborted()
  const change = await changes.ship(true)
  const base: Base = {
    run,
    from,
    through: change.seq,
    at: change.at,
    pageSize,
    chunkPages: CHUNK_BYTES / pageSize,
    count,
    chunks: hashes,
    schema: schemaVersion,
    version,
  }
  const name = baseName(now(), run)
  await objects.putJson(name, base)
  return { name, base, change, sent }
}

async function shipChunks(
  { pages, chunks, onProgress, signal }: Parameters<typeof shipBase>[0],
  count: number,
): Promise<{ hashes: string[]; sent: number }> {
  const chunkPages = CHUNK_BYTES / pages.pageSize
  const total = Math.ceil(count / chunkPages)
  const hashes: string[] = []
  const limiter = createLimiter({ maxRunning: AT_ONCE })
  let sent = 0
  let done = 0
  async function ship(index: number): Promise<void> {
    signal?.throwIfAborted()
    // Lets the timer that advances the pages run.
    await turn()
    const put = await chunks.put(
      readChunk(pages, index, Math.min(chunkPages, count - index * chunkPages)),
    )
    hashes[index] = put.hash
    sent += put.sent
    done += 1
    onProgress?.(done, total)
  }
  await Promise.all(Array.from({ length: total }, (_, index) => limiter.run(() => ship(index))))
  return { hashes, sent }
}

function readChunk(pages: ChangedPages, index: number, length: number): Buffer {
  const { pageSize } = pages
  const first = 1 + index * (CHUNK_BYTES / pageSize)
  const chunk = Buffer.alloc(length * pageSize)
  for (let i = 0; i < length; i++) {
    pages.read(first + i, chunk.subarray(i * pageSize, (i + 1) * pageSize))
  }
  return chunk
}
