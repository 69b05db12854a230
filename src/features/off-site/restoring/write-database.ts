// Writes the database of a point into a file: the chunks of the base, then its changes in their order.

import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { createLimiter } from '../../../base/util/limiter.ts'
import { BucketError } from '../bucket/bucket-error.ts'
import { readChange } from '../copying/change-format.ts'
import { getChunk } from '../copying/chunks.ts'
import { changeName } from '../copying/names.ts'
import type { Objects } from '../copying/objects.ts'
import { SealError } from '../sealing/seal.ts'
import type { Point } from './points.ts'

/** The point can't be restored: objects that it needs are missing or damaged in the store. */
export class UnfitPointError extends Error {
  override name = 'UnfitPointError'
  /** Hashes of the chunks among them. */
  readonly chunks: string[]
  constructor(message: string, chunks: string[] = []) {
    super(message)
    this.chunks = chunks
  }
}

export type Written = {
  /** The time of the state; milliseconds of the clock of the machine that sent it. */
  at: number
  bytes: number
  /** Why later changes were left out. */
  note?: string
}

type WriteOptions = {
  /** Changes after this time are left out. */
  until?: number | undefined
  onProgress?: ((step: 'chunks' | 'changes', done: number, total: number) => void) | undefined
  signal?: AbortSignal | undefined
}

const AT_ONCE = 8

/** @throws UnfitPointError, BucketError */
export async function writeDatabase(
  objects: Objects,
  point: Point,
  path: string,
  options: WriteOptions = {},
): Promise<Written> {
  const file = openSync(path, 'w', 0o600)
  try {
    await writeChunks(objects, point, file, options)
    const written = await writeChanges(objects, point, file, options)
    fsyncSync(file)
    return written
  } finally {
    closeSync(file)
  }
}

async function writeChunks(
  objects: Objects,
  { base }: Point,
  file: number,
  { onProgress, signal }: WriteOptions,
): Promise<void> {
  const limiter = createLimiter({ maxRunning: AT_ONCE })
  const chunkBytes = base.chunkPages * base.pageSize
  const unfit: string[] = []
  let done = 0
  async function write(hash: string, index: number): Promise<void> {
    signal?.throwIfAborted()
    try {
      writeFully(file, await getChunk(objects, hash), index * chunkBytes)
    } catch (error) {
      if (!isOfObject(error)) throw error
      unfit.push(hash)
    }
    done += 1
    onProgress?.('chunks', done, base.chunks.length)
  }
  await Promise.all(base.chunks.map((hash, index) => limiter.run(() => write(hash, index))))
  if (unfit.length === 0) return
  throw new UnfitPointError(
    `${unfit.length} of ${base.chunks.length} chunks of the database are missing or damaged in the store`,
    unfit,
  )
}

async function writeChanges(
  objects: Objects,
  { base, changes }: Point,
  file: number,
  { until = Infinity, onProgress }: WriteOptions,
): Promise<Written> {
  let at = base.at
  let count = base.count
  let note: string | undefined
  for (const [i, seq] of changes.entries()) {
    const name = changeName(base.run, seq)
    try {
      const { head, forEach } = readChange(await objects.get(name))
      if (head.at > until && seq > base.through) break
      forEach((page, bytes) => writeFully(file, bytes, (page - 1) * base.pageSize))
      at = head.at
      count = head.count
    } catch (error) {
      if (!isOfObject(error)) throw error
      if (seq <= base.through) throw new UnfitPointError((error as Error).message)
      note = `later changes are left out: ${(error as Error).message}`
      break
    }
    onProgress?.('changes', i + 1, changes.length)
  }
  ftruncateSync(file, count * base.pageSize)
  return { at, bytes: count * base.pageSize, ...(note !== undefined && { note }) }
}

/** Rather than of the store as a whole. */
function isOfObject(error: unknown): boolean {
  return error instanceof SealError || (error instanceof BucketError && error.isMissing)
}

function writeFully(file: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(file, bytes, done, bytes.length - done, at + done)
  }
}
