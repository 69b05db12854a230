// What the media process makes of a file, and its way into the cache: into a place that is reserved, which is given
// back where nothing came of it.

import { rm } from 'node:fs/promises'
import type { DiskCache } from '../disk-cache.ts'
import type { Job } from './jobs.ts'
import type { MediaProcess } from './media-process.ts'

type Parts = { cache: Pick<DiskCache, 'reserve' | 'keep'>; process: Pick<MediaProcess, 'run'> }

/**
 * @param jobTo - what is to be made, told where to.
 * @param payers - whom its time is charged to.
 * @throws MediaError
 */
export async function makeAndKeep(
  { cache, process }: Parts,
  { key, jobTo, payers }: { key: string; jobTo: (to: string) => Job; payers: readonly string[] },
): Promise<void> {
  const to = await cache.reserve()
  try {
    await process.run(jobTo(to), payers)
    await cache.keep(key, to)
  } finally {
    await rm(to, { force: true })
  }
}
