// Plain counters of one thread, by name and one label each: counting is an addition in a map, and no other
// work is done until they are read. Callers must bound the set of labels.

export type Counted = Readonly<Record<string, Readonly<Record<string, number>>>>

export type Counts = {
  add(what: string, label: string, by?: number): void
  /** Returns a copy of the counts so far. */
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
