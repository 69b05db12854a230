// Counts how often values of one thread fall between fixed bounds: one addition per value, and no other work
// until they are read.

export type HistogramCounts = {
  /** Upper bounds, ascending; followed by a last bucket without one. */
  bounds: readonly number[]
  /** Per bucket, not cumulative. */
  counts: number[]
  sum: number
}

type Histogram = {
  observe(value: number): void
  /** Returns a copy. */
  read(): HistogramCounts
}

export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = Array<number>(bounds.length + 1).fill(0)
  let sum = 0
  return {
    observe(value) {
      let bucket = 0
      while (bucket < bounds.length && value > bounds[bucket]!) bucket++
      counts[bucket]! += 1
      sum += value
    },
    read: () => ({ bounds, counts: [...counts], sum }),
  }
}
