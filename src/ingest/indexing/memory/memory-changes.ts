// The effects of a committed batch on memory. The indexer collects these while it writes rows; the publisher
// applies them, in order, after the commit (invariant 1).

import type { TimelineEntry } from '@slipstream/follow-graph'

export type MemoryChange =
  /** The first follow record of the pair appeared, or its last one went. */
  | { kind: 'follow' | 'unfollow'; creator: number; subject: number }
  /** A feed item of an author; `hash` is its `itemHash`. */
  | { kind: 'item-added'; entry: TimelineEntry; hash: number }
  | { kind: 'item-removed'; entry: TimelineEntry }
  | { kind: 'hidden' | 'shown'; uid: number }
  /** Account deleted: all its rows are gone; its follows arrive as `unfollow` before this. */
  | { kind: 'actor-removed'; uid: number }
  | { kind: 'member-added' | 'member-removed'; uid: number }
