// What everybody who writes in the background is given, so that all of them bear a full disk in one way
// (ingest/upkeep/disk/disk-room.ts): work that must not be lost waits until it fits, and work that comes by again by
// itself is left for then.

export type WriteRetry = {
  /** Whether the last write found no room. */
  isFull(): boolean
  /**
   * Runs work until it fits. It may be run several times, so it is one transaction, or several that
   * can be repeated, and what follows in memory from the last one.
   * @returns undefined where everything stops before it fits
   * @throws what it throws for any other reason
   */
  retry<T>(work: () => T): Promise<T | undefined>
  /**
   * Runs work that comes by again by itself.
   * @returns whether it could be done
   * @throws what it throws for any other reason
   */
  ifThereIsRoom(work: () => void): boolean
  /** Resolves when there is room as far as one can see, or everything stops, or the signal says so. */
  untilRoom(signal?: AbortSignal): Promise<void>
}

/** For where nothing else goes on that would have to wait: a full disk is an error like any other. */
export const noRetry: WriteRetry = {
  isFull: () => false,
  retry: async (work) => work(),
  ifThereIsRoom(work) {
    work()
    return true
  },
  untilRoom: async () => undefined,
}
