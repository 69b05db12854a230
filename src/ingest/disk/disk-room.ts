// What happens to a write that finds the disk full: its transaction is rolled back, and it is tried again
// until it fits, while everything else of the process goes on. Nothing is lost by it: the stream's cursor is in
// the same transaction, and the socket waits.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../../obs/log.ts'
import { isDiskFull } from '../../store/disk-full.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 15_000

export type DiskRoom = {
  /** Whether the last write found no room. */
  isFull(): boolean
  /**
   * Runs work that is all or nothing until it fits.
   * @returns undefined where everything stops before it does
   * @throws what it throws for any other reason
   */
  patiently<T>(work: () => T): Promise<T | undefined>
  /**
   * Runs work that comes by again by itself.
   * @returns whether it could be done
   * @throws what it throws for any other reason
   */
  ifThereIsRoom(work: () => void): boolean
  /** Errors that nobody caught. @returns whether this is about the disk, and told. */
  takes(error: unknown): boolean
  /** There is room as far as one can see: whoever finds none will say so. */
  believeRoom(): void
  /** Before each further try. */
  onRetry(look: () => void): void
  stop(): void
}

export function createDiskRoom(log: Pick<Logger, 'error' | 'info'>): DiskRoom {
  const stopping = new AbortController()
  let fullSince: number | undefined
  let lookAgain: () => void = () => undefined

  function noteFull(error: unknown): void {
    if (fullSince === undefined) {
      log.error(
        { err: error },
        'the disk is full: nothing is written until there is room; what is here is served',
      )
    }
    fullSince ??= Date.now()
  }

  function noteRoom(): void {
    if (fullSince === undefined) return
    log.info({ forMs: Date.now() - fullSince }, 'there is room on the disk again: going on')
    fullSince = undefined
  }

  async function patiently<T>(work: () => T): Promise<T | undefined> {
    const { signal } = stopping
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; ) {
      try {
        const result = work()
        noteRoom()
        return result
      } catch (error) {
        if (!isDiskFull(error)) throw error
        noteFull(error)
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      lookAgain()
    }
    return undefined
  }

  function takes(error: unknown): boolean {
    if (!isDiskFull(error)) return false
    noteFull(error)
    return true
  }

  return {
    isFull: () => fullSince !== undefined,
    patiently,
    ifThereIsRoom(work) {
      try {
        work()
        return true
      } catch (error) {
        if (takes(error)) return false
        throw error
      }
    },
    takes,
    believeRoom: noteRoom,
    onRetry(look) {
      lookAgain = look
    },
    stop: () => stopping.abort(),
  }
}
