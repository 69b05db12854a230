// The narrow faces of the timeline room: bounded rings of feed items in shared memory, one a
// materialised member, newest first, with a plain in-memory twin behind the same contract suite.
//
// The order is total: sortAt, then cidRank (the reference's tie-break by CID), then item, all
// descending. One writer, any number of reading threads; a reader never sees half a change.

/** A feed item's place in the order. */
export type TimelinePosition = {
  /** Milliseconds since 1970. */
  sortAt: number
  /** base/atproto/keys.ts `cidRank` of the item's own CID (for a repost, the repost's). 15 bits. */
  rank: number
  /** data/store/item-ids.ts. */
  item: number
}

export type TimelineEntry = TimelinePosition & {
  /** uid of the author, or of the reposter: why the item is in the feed. */
  originator: number
}

export type TimelineSlice = {
  /** Newest first. */
  entries: TimelineEntry[]
  /** True where older items may exist outside the ring, below the last entry. */
  truncated: boolean
}

export interface TimelineReader {
  /**
   * Up to `limit` entries strictly after `before` in reading order (older), newest first.
   * @returns undefined where the timeline is not materialised.
   */
  read(
    owner: number,
    before: TimelinePosition | undefined,
    limit: number,
  ): TimelineSlice | undefined
  isOpen(owner: number): boolean
}

export interface TimelineWriter extends TimelineReader {
  /** How many timelines are open. */
  readonly openCount: number
  /** Of the open ones, in no order. */
  owners(): Iterable<number>
  /**
   * Materialises a timeline with these entries, in any order; replaces what was there.
   * `truncated`: older items exist that were not passed.
   */
  open(owner: number, entries: TimelineEntry[], truncated: boolean): void
  close(owner: number): void
  /** Idempotent. The oldest entry falls out of a full ring. No-op where not open. */
  insert(owner: number, entry: TimelineEntry): void
  /** Idempotent. */
  remove(owner: number, position: TimelinePosition): void
  /** After an unfollow, a block or a deletion: drops everything this originator brought. */
  removeOriginator(owner: number, originator: number): void
}
