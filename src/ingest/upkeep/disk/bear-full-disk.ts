// Catches full-disk errors of all code on the ingest thread that does not handle them itself, jobs above all:
// their transactions were rolled back, and once there is room the work is resumed as after a restart. Until
// then no request goes to other people's servers: the answer could not be stored.

import { releaseJobs } from '../../../data/store/fetching/jobs.ts'
import type { FetchOptions, GuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import type { Writer } from '../../indexing/writer.ts'
import type { DiskSpace } from './disk-space.ts'

/**
 * Call once everything runs: an earlier failure ends the thread, since half of it would be missing.
 * @returns a function that starts the jobs, now or once there is room
 */
export function bearFullDisk(parts: {
  writer: Pick<Writer, 'commit'>
  diskSpace: DiskSpace
  wakeBackfill: () => void
  now: () => number
}): { begin(start: () => void): void } {
  const { writer, diskSpace, wakeBackfill, now } = parts
  let isWorkLost = false

  process.on('uncaughtException', (error) => {
    if (!diskSpace.takes(error)) throw error
    isWorkLost = true
  })

  diskSpace.onSpace(() => {
    if (!isWorkLost) return
    isWorkLost = !diskSpace.ifThereIsSpace(() => writer.commit(({ db }) => releaseJobs(db, now())))
    if (!isWorkLost) wakeBackfill()
  })

  return {
    begin(start) {
      if (!diskSpace.ifThereIsSpace(start)) isWorkLost = true
    },
  }
}

/** Waits while the disk is full. */
export function fetchWithSpace(
  fetch: GuardedFetch,
  diskSpace: Pick<DiskSpace, 'isFull' | 'untilSpace'>,
): GuardedFetch {
  return async (url: string, options?: FetchOptions) => {
    if (diskSpace.isFull()) await diskSpace.untilSpace(options?.signal)
    return fetch(url, options)
  }
}
