// What happens to a write that finds the disk full: its transaction is rolled back, and it is tried again until it
// fits, while everything else of the process goes on. Nothing is lost by it: the stream's cursor is in the same
// transaction, and the socket waits. Whoever waits tries again at growing pauses, and at once when somebody sees that
// there is room. Whoever does not wait is told no, without a try where one has just failed: each that fails costs the
// memory that it might have changed.

import type { Logger } from '../../../base/obs/log.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { createGate } from '../../../base/util/gate.ts'
import { DiskFullError, isDiskFull } from '../../../data/store/disk-full.ts'
import type { WriteRetry } from '../../../data/store/write-retry.ts'
import { createWaitingRoom } from './waiting-room.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 15_000
const ATTEMPT_EVERY_MS = 1_000
/** A disk that is all but full has room for this and none for that. */
const TELL_EVERY_MS = MINUTE_MS
/** More than one could ever have at work. */
const MAX_ENDS = 1_000

export type DiskRoom = WriteRetry & {
  /**
   * Runs work for somebody who does not wait.
   * @throws DiskFullError where there is no room; what it throws for any other reason
   */
  attempt<T>(work: () => T): T
  /** Errors that nobody caught. @returns whether this is about the disk, and told. */
  takes(error: unknown): boolean
  /** There is room as far as one can see: whoever finds none will say so. */
  believeRoom(): void
  /** Before each further try. */
  onRetry(look: () => void): void
  /** As soon as there is room again. */
  onRoom(goOn: () => void): void
  /** Until it has ended, though things at work in it fail for want of room. @throws for any other reason */
  ended(stop: () => Promise<void>): Promise<void>
  stop(): void
}

export function createDiskRoom(log: Pick<Logger, 'error' | 'info'>): DiskRoom {
  return new Room(log)
}

class Room implements DiskRoom {
  readonly #retrying = createWaitingRoom()
  readonly #roomless = createWaitingRoom()
  readonly #notice: ReturnType<typeof createNotice>
  readonly #goesOn: (() => void)[] = []
  #lookAgain: () => void = () => undefined
  #isStopped = false
  #fullSince: number | undefined
  #foundFullAt = -Infinity

  constructor(log: Pick<Logger, 'error' | 'info'>) {
    this.#notice = createNotice(log)
  }

  isFull(): boolean {
    return this.#fullSince !== undefined
  }

  async retry<T>(work: () => T): Promise<T | undefined> {
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isStopped; this.#lookAgain()) {
      try {
        const result = work()
        this.#noteRoom()
        return result
      } catch (error) {
        if (!this.takes(error)) throw error
      }
      await this.#retrying.wait(pauseMs)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
    return undefined
  }

  ifThereIsRoom(work: () => void): boolean {
    try {
      work()
      return true
    } catch (error) {
      if (this.takes(error)) return false
      throw error
    }
  }

  attempt<T>(work: () => T): T {
    const isHopeless = performance.now() - this.#foundFullAt < ATTEMPT_EVERY_MS
    if (this.isFull() && isHopeless) throw new DiskFullError()
    try {
      return work()
    } catch (error) {
      throw this.takes(error) ? new DiskFullError({ cause: error }) : error
    }
  }

  async untilRoom(signal?: AbortSignal): Promise<void> {
    const isOver = () => !this.isFull() || this.#isStopped || signal?.aborted
    while (!isOver()) await this.#roomless.wait(undefined, signal)
  }

  takes(error: unknown): boolean {
    if (!isDiskFull(error)) return false
    this.#foundFullAt = performance.now()
    this.#fullSince ??= Date.now()
    this.#notice.full(error)
    return true
  }

  believeRoom(): void {
    this.#noteRoom()
    this.#retrying.letGo()
  }

  onRetry(look: () => void): void {
    this.#lookAgain = look
  }

  onRoom(goOn: () => void): void {
    this.#goesOn.push(goOn)
  }

  async ended(stop: () => Promise<void>): Promise<void> {
    for (let ends = 0; ends < MAX_ENDS; ends++) {
      try {
        return await stop()
      } catch (error) {
        if (!this.takes(error)) throw error
      }
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#retrying.letGo()
    this.#roomless.letGo()
  }

  #noteRoom(): void {
    if (this.#fullSince === undefined) return
    this.#notice.room(Date.now() - this.#fullSince)
    this.#fullSince = undefined
    this.#roomless.letGo()
    for (const goOn of this.#goesOn) goOn()
  }
}

/** Tells the log of a full disk once, and of room if that was told. */
function createNotice(log: Pick<Logger, 'error' | 'info'>) {
  const mayTell = createGate(TELL_EVERY_MS)
  let isTold = false
  return {
    full(error: unknown): void {
      if (isTold || !mayTell()) return
      isTold = true
      log.error(
        { err: error },
        'the disk is full: nothing is written until there is room; what is here is served',
      )
    },
    room(forMs: number): void {
      if (isTold) log.info({ forMs }, 'there is room on the disk again: going on')
      isTold = false
    },
  }
}
