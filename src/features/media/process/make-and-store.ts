// Runs a job in the media process and puts the result into the cache, through a reserved path that is removed
// if the job fails.

import { rm } from 'node:fs/promises'
import type { DiskCache } from '../cache/disk-cache.ts'
import type { Job } from './jobs.ts'
import type { MediaProcess } from './media-process.ts'

type Dependencies = {
  cache: Pick<DiskCache, 'reserve' | 'add'>
  process: Pick<MediaProcess, 'run'>
}

/**
 * @param jobTo - returns the job that writes to a given path
 * @param payers - what its time is charged to
 * @throws MediaError
 */
export async function makeAndStore(
  { cache, process }: Dependencies,
  { key, jobTo, payers }: { key: string; jobTo: (to: string) => Job; payers: readonly string[] },
): Promise<void> {
  const to = await cache.reserve()
  try {
    await process.run(jobTo(to), payers)
    await cache.add(key, to)
  } finally {
    await rm(to, { force: true })
  }
}
