// What counts are to be asked for, until they are: what somebody looks at first, then the newest. Bounded;
// what finds no place is asked for when it is shown again, or found again in a timeline.

export type CountQueue = {
  readonly size: number
  /** @param rank - higher comes first */
  add(id: number, rank: number): void
  /** The first of them, at most `limit`; they stay until they are dropped. */
  first(limit: number): number[]
  drop(ids: Iterable<number>): void
  /** Behind all others. */
  putLast(ids: Iterable<number>): void
}

export function createCountQueue(maxSize: number): CountQueue {
  const ranks = new Map<number, number>()
  /** In their order; undefined where that is to be found anew. */
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
      // The last tenth goes at once, so that not every further one is sorted in.
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
