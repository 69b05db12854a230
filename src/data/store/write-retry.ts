// The interface for all background writes, so that they handle a full disk in the same way
// (ingest/upkeep/disk/disk-space.ts): work that must not be lost waits until it fits; recurring work is
// skipped until its next turn.

export type WriteRetry = {
  /** Whether the last write found no room. */
  isFull(): boolean
  /**
   * Runs work until it fits. It may run several times, so it must be one transaction, or several
   * repeatable ones, plus whatever memory changes follow from the last one.
   * @returns undefined if the process stops before it fits
   * @throws any other error of the work
   */
  retry<T>(work: () => T): Promise<T | undefined>
  /**
   * Runs work that recurs by itself.
   * @returns whether it could be done
   * @throws any other error of the work
   */
  ifThereIsSpace(work: () => void): boolean
  /** Resolves when there seems to be room, when the process stops, or on the signal. */
  untilSpace(signal?: AbortSignal): Promise<void>
}

/** For callers that nothing else would have to wait for: a full disk is an error like any other. */
export const noRetry: WriteRetry = {
  isFull: () => false,
  retry: async (work) => work(),
  ifThereIsSpace(work) {
    work()
    return true
  },
  untilSpace: async () => undefined,
}
