// How often values of one thread fell between fixed bounds: an addition each, and nothing until somebody asks.

export type HistogramCounts = {
  /** Upper bounds, ascending; a last bucket without one follows. */
  bounds: readonly number[]
  /** By bucket, not cumulated. */
  counts: number[]
  sum: number
}

type Histogram = {
  observe(value: number): void
  /** A copy. */
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
