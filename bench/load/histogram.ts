// Latencies in buckets whose width grows with the value, like HdrHistogram: exact below 128 microseconds,
// within 1/128 above, over any range. Recording takes a few nanoseconds and no memory.
// http://hdrhistogram.org.

export type Quantiles = {
  count: number
  mean: number
  p50: number
  p90: number
  p99: number
  p999: number
  max: number
}

/** All recordings, for a message to another process. */
export type Recordings = { counts: Float64Array; count: number; sum: number; max: number }

const SUB_BITS = 7
const SUBS = 1 << SUB_BITS
/** Covers 2^31 microseconds, or 35 minutes. */
const OCTAVES = 31 - SUB_BITS + 1
const MAX_VALUE = 2 ** 31 - 1

export class Histogram {
  readonly #counts = new Float64Array((OCTAVES + 1) * SUBS)
  #count = 0
  #sum = 0
  #max = 0

  get count(): number {
    return this.#count
  }

  /** Takes whole microseconds; negative values count as 0. */
  record(microseconds: number): void {
    const value = Math.min(MAX_VALUE, Math.max(0, Math.round(microseconds)))
    this.#counts[bucketOf(value)]!++
    this.#count++
    this.#sum += value
    if (value > this.#max) this.#max = value
  }

  recordings(): Recordings {
    return { counts: this.#counts, count: this.#count, sum: this.#sum, max: this.#max }
  }

  add({ counts, count, sum, max }: Recordings): void {
    for (let bucket = 0; bucket < counts.length; bucket++) this.#counts[bucket]! += counts[bucket]!
    this.#count += count
    this.#sum += sum
    this.#max = Math.max(this.#max, max)
  }

  /** The value not exceeded by the share `q` of all recordings: the upper edge of its bucket. */
  at(q: number): number {
    if (this.#count === 0) return 0
    const rank = Math.max(1, Math.ceil(q * this.#count))
    let seen = 0
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      seen += this.#counts[bucket]!
      if (seen >= rank) return Math.min(this.#max, upperEdge(bucket))
    }
    return this.#max
  }

  /** In milliseconds. */
  quantiles(): Quantiles {
    const ms = (microseconds: number) => microseconds / 1000
    return {
      count: this.#count,
      mean: this.#count === 0 ? 0 : ms(this.#sum / this.#count),
      p50: ms(this.at(0.5)),
      p90: ms(this.at(0.9)),
      p99: ms(this.at(0.99)),
      p999: ms(this.at(0.999)),
      max: ms(this.#max),
    }
  }
}

function bucketOf(value: number): number {
  if (value < SUBS) return value
  const shift = 31 - Math.clz32(value) - SUB_BITS
  return shift * SUBS + (value >>> shift)
}

function upperEdge(bucket: number): number {
  if (bucket < SUBS * 2) return bucket
  const shift = Math.floor(bucket / SUBS) - 1
  return ((bucket % SUBS) + SUBS + 1) * 2 ** shift - 1
}
