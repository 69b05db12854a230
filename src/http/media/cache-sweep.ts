// Brings the folder of the disk cache back below its limit: what was longest unused goes first, and so
// does what a crash left half written.

import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

type Found = { path: string; size: number; usedAtMs: number }

/** How the names of files begin that are still being written. */
export const TEMPORARY = '.tmp-'
const ABANDONED_AFTER_MS = 600_000
/** Some room is made, so that the next sweep is not due at once. */
const KEPT_SHARE = 0.9

/** @throws where the folder cannot be read or a file not be removed. */
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

  const kept = found.filter(({ path }) => !path.includes(TEMPORARY))
  let total = kept.reduce((sum, { size }) => sum + size, 0)
  if (total <= maxBytes * KEPT_SHARE) return
  kept.sort((a, b) => a.usedAtMs - b.usedAtMs)
  for (const { path, size } of kept) {
    if (total <= maxBytes * KEPT_SHARE) return
    await rm(path, { force: true })
    total -= size
  }
}

async function listFiles(folder: string): Promise<Found[]> {
  const shards = await readdir(folder, { withFileTypes: true })
  const found: Found[] = []
  for (const shard of shards.filter((one) => one.isDirectory())) {
    const names = await readdir(join(folder, shard.name))
    const files = await Promise.all(names.map((name) => measure(join(folder, shard.name, name))))
    found.push(...files.filter((one) => one !== undefined))
  }
  return found
}

/** undefined: gone meanwhile. */
async function measure(path: string): Promise<Found | undefined> {
  try {
    const { size, mtimeMs } = await stat(path)
    return { path, size, usedAtMs: mtimeMs }
  } catch {
    return undefined
  }
}
