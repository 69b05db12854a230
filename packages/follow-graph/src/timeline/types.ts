// Interfaces of the timeline store: bounded rings of feed items in shared memory, one per materialised
// member, newest first, with a plain in-memory twin that passes the same contract suite.
//
// The order is total: sortAt, then rank, then item, all descending. One
// writer, any number of reading threads; a reader never sees a partial change.

/** A feed item's position in the order. */
export type TimelinePosition = {
  /** Milliseconds since 1970. */
  sortAt: number
  /** Breaks ties of time, 15 bits; Slipstream takes the order of the items' CIDs. */
  rank: number
  /** The item's number, 38 bits. */
  item: number
}

export type TimelineEntry = TimelinePosition & {
  /** uid of the author or the reposter, on whose account the item is in the feed. */
  originator: number
}

export type TimelineSlice = {
  /** Newest first. */
  entries: TimelineEntry[]
  /** True if older items may exist outside the ring, below the last entry. */
  truncated: boolean
}

export interface TimelineReader {
  /**
   * Returns up to `limit` entries strictly older than `before`, newest first.
   * @returns undefined if the timeline is not materialised.
   */
  read(
    owner: number,
    before: TimelinePosition | undefined,
    limit: number,
  ): TimelineSlice | undefined
  isOpen(owner: number): boolean
}

export interface TimelineWriter extends TimelineReader {
  /** Number of open timelines. */
  readonly openCount: number
  /** Owners of open timelines, in no order. */
  owners(): Iterable<number>
  /**
   * Materialises a timeline with these entries, in any order, replacing any previous ones.
   * `truncated`: older items exist that were not passed.
   */
  open(owner: number, entries: TimelineEntry[], truncated: boolean): void
  close(owner: number): void
  /** Idempotent. Drops the oldest entry of a full ring. No-op if the timeline is not open. */
  insert(owner: number, entry: TimelineEntry): void
  /** Idempotent. */
  remove(owner: number, position: TimelinePosition): void
  /** Drops all of this originator's items, after an unfollow, a block or a deletion. */
  removeOriginator(owner: number, originator: number): void
}
