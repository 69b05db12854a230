// The posts or accounts whose counts are still to be requested: those that clients view first, then the
// newest. Bounded; entries that find no place are requested when they are shown again, or found again in a
// timeline.

export type CountQueue = {
  readonly size: number
  /** @param rank - higher ranks go first */
  add(id: number, rank: number): void
  /** Returns the first entries, at most `limit`; they stay until they are dropped. */
  first(limit: number): number[]
  drop(ids: Iterable<number>): void
  /** Moves these behind all others. */
  putLast(ids: Iterable<number>): void
}

export function createCountQueue(maxSize: number): CountQueue {
  const ranks = new Map<number, number>()
  /** Sorted entries; undefined when they must be sorted again. */
  let ordered: number[] | undefined
  let lastRank = 0

  function order(): number[] {
    ordered ??= [...ranks.keys()].sort((a, b) => ranks.get(b)! - ranks.get(a)!)
    return ordered
  }

  return {
    get size() {
      return ranks.size
    },
    add(id, rank) {
      if ((ranks.get(id) ?? -Infinity) >= rank) return
      ranks.set(id, rank)
      ordered = undefined
      // Drops the last tenth at once, so that not every further entry causes a sort.
      if (ranks.size <= maxSize) return
      for (const last of order().splice(Math.floor(maxSize * 0.9))) ranks.delete(last)
    },
    putLast(ids) {
      lastRank--
      for (const id of ids) ranks.set(id, lastRank)
      ordered = undefined
    },
    first: (limit) => order().slice(0, limit),
    drop(ids) {
      for (const id of ids) ranks.delete(id)
      if (ordered) ordered = ordered.filter((id) => ranks.has(id))
    },
  }
}
