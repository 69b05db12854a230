// Plain counters of one thread, by what is counted and one label each: an addition in a map, and
// nothing until somebody asks. What may stand as a label is the callers' to bound.

export type Counted = Readonly<Record<string, Readonly<Record<string, number>>>>

export type Counts = {
  add(what: string, label: string, by?: number): void
  /** A copy of what was counted so far. */
  read(): Counted
}

export function createCounts(): Counts {
  const counts = new Map<string, Map<string, number>>()
  return {
    add(what, label, by = 1) {
      const labels = counts.get(what) ?? new Map<string, number>()
      counts.set(what, labels.set(label, (labels.get(label) ?? 0) + by))
    },
    read: () =>
      Object.fromEntries([...counts].map(([what, labels]) => [what, Object.fromEntries(labels)])),
  }
}
