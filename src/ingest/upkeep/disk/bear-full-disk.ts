// The net under everybody who writes on the ingest thread and does not look for a full disk themself, jobs
// above all: what they did was rolled back, and when there is room it is taken up again as after a restart.
// Until then nothing more is asked of other people's servers: the answer could not be kept.

import { releaseJobs } from '../../../data/store/jobs.ts'
import type { FetchOptions, GuardedFetch } from '../../../sources/identity/guarded-fetch.ts'
import type { Writer } from '../../indexing/writer.ts'
import type { DiskRoom } from './disk-room.ts'

/**
 * To be called when everything runs: what fails before ends the thread, since half of it would be missing.
 * @returns what begins the taking up of jobs, now or then
 */
export function bearFullDisk(parts: {
  writer: Pick<Writer, 'commit'>
  room: DiskRoom
  wakeBackfill: () => void
  now: () => number
}): { begin(start: () => void): void } {
  const { writer, room, wakeBackfill, now } = parts
  let isWorkLost = false

  process.on('uncaughtException', (error) => {
    if (!room.takes(error)) throw error
    isWorkLost = true
  })

  room.onRoom(() => {
    if (!isWorkLost) return
    isWorkLost = !room.ifThereIsRoom(() => writer.commit(({ db }) => releaseJobs(db, now())))
    if (!isWorkLost) wakeBackfill()
  })

  return {
    begin(start) {
      if (!room.ifThereIsRoom(start)) isWorkLost = true
    },
  }
}

/** Waits while nothing can be written. */
export function fetchWithRoom(
  fetch: GuardedFetch,
  room: Pick<DiskRoom, 'isFull' | 'untilRoom'>,
): GuardedFetch {
  return async (url: string, options?: FetchOptions) => {
    if (room.isFull()) await room.untilRoom(options?.signal)
    return fetch(url, options)
  }
}
