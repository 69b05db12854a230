// Handles writes that find the disk full: the transaction is rolled back and retried until it fits, while the
// rest of the process runs on. Nothing is lost: the stream's cursor is in the same transaction, and the
// socket waits. Waiting callers retry at growing pauses, and at once when there is room again. Callers that
// can't wait get an error, without a try if one has just failed: each failed try costs the memory that it
// might have changed.

import type { Logger } from '../../../base/obs/log.ts'
import { MINUTE_MS } from '../../../base/util/durations.ts'
import { createGate } from '../../../base/util/gate.ts'
import { DiskFullError, isDiskFull } from '../../../data/store/files/disk-full.ts'
import type { WriteRetry } from '../../../data/store/write-retry.ts'
import { createSpaceWaits } from './space-waits.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 15_000
const ATTEMPT_EVERY_MS = 1_000
/** A nearly full disk has room for some writes and none for others. */
const TELL_EVERY_MS = MINUTE_MS
/** More failing jobs than could ever run at once. */
const MAX_ENDS = 1_000

export type DiskSpace = WriteRetry & {
  /**
   * Runs work for a caller that does not wait.
   * @throws DiskFullError if there is no room; any other error of `work`
   */
  attempt<T>(work: () => T): T
  /** Takes an uncaught error. @returns whether it is about a full disk, and was reported. */
  takes(error: unknown): boolean
  /** Assumes that there is room; the next write that finds none will report it. */
  believeSpace(): void
  /** Sets a function to call before each retry. */
  onRetry(look: () => void): void
  /** Adds a function to call as soon as there is room again. */
  onSpace(goOn: () => void): void
  /**
   * Calls `stop` until it succeeds, while work in progress fails because the disk is full.
   * @throws for any other reason
   */
  ended(stop: () => Promise<void>): Promise<void>
  stop(): void
}

export function createDiskSpace(log: Pick<Logger, 'error' | 'info'>): DiskSpace {
  return new Space(log)
}

class Space implements DiskSpace {
  readonly #retrying = createSpaceWaits()
  readonly #roomless = createSpaceWaits()
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

  ifThereIsSpace(work: () => void): boolean {
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

  async untilSpace(signal?: AbortSignal): Promise<void> {
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

  believeSpace(): void {
    this.#noteRoom()
    this.#retrying.letGo()
  }

  onRetry(look: () => void): void {
    this.#lookAgain = look
  }

  onSpace(goOn: () => void): void {
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
    this.#notice.diskSpace(Date.now() - this.#fullSince)
    this.#fullSince = undefined
    this.#roomless.letGo()
    for (const goOn of this.#goesOn) goOn()
  }
}

/** Logs a full disk once, and the end of it if that was logged. */
function createNotice(log: Pick<Logger, 'error' | 'info'>) {
  const mayTell = createGate(TELL_EVERY_MS)
  let isReported = false
  return {
    full(error: unknown): void {
      if (isReported || !mayTell()) return
      isReported = true
      log.error(
        { err: error },
        'the disk is full: writing stops until there is room; stored data is served',
      )
    },
    diskSpace(forMs: number): void {
      if (isReported) log.info({ forMs }, 'the disk has room again: resuming')
      isReported = false
    },
  }
}
