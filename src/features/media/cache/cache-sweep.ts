// Shrinks the disk cache's folder below its limit: evicts the least recently used files first, and removes
// files that a crash left half written.

import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

type Found = { path: string; size: number; usedAtMs: number }

/** Prefix of the names of files still being written. */
export const TEMPORARY = '.tmp-'
const ABANDONED_AFTER_MS = 600_000
/** Leaves some room, so that the next sweep is not due immediately. */
const RETAINED_SHARE = 0.9

/** @throws if the folder cannot be read or a file cannot be removed. */
export async function sweep(options: {
  folder: string
  maxBytes: number
  now: number
}): Promise<void> {
  const { folder, maxBytes, now } = options
  const found = await listFiles(folder)
  const isAbandoned = ({ path, usedAtMs }: Found) =>
    path.includes(TEMPORARY) && now - usedAtMs > ABANDONED_AFTER_MS
  for (const { path } of found.filter(isAbandoned)) await rm(path, { force: true })

  const filtered = found.filter(({ path }) => !path.includes(TEMPORARY))
  let total = filtered.reduce((sum, { size }) => sum + size, 0)
  if (total <= maxBytes * RETAINED_SHARE) return
  filtered.sort((a, b) => a.usedAtMs - b.usedAtMs)
  for (const { path, size } of filtered) {
    if (total <= maxBytes * RETAINED_SHARE) return
    await rm(path, { force: true })
    total -= size
  }
}

async function listFiles(folder: string): Promise<Found[]> {
  const shards = await readdir(folder, { withFileTypes: true })
  const found: Found[] = []
  for (const shard of shards.filter((shard) => shard.isDirectory())) {
    const names = await readdir(join(folder, shard.name))
    const files = await Promise.all(names.map((name) => measure(join(folder, shard.name, name))))
    found.push(...files.filter((file) => file !== undefined))
  }
  return found
}

/** undefined: removed meanwhile. */
async function measure(path: string): Promise<Found | undefined> {
  try {
    const { size, mtimeMs } = await stat(path)
    return { path, size, usedAtMs: mtimeMs }
  } catch {
    return undefined
  }
}
