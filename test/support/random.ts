// Seeded randomness for simulations and property tests: the same seed gives the same run.

export type Random = {
  /** In [0, 1). */
  next(): number
  /** An integer in [0, bound). */
  below(bound: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** Favours small indexes: rank k has a weight of about 1 / (k + 1). */
  zipf(bound: number): number
}

/** sfc32, by Chris Doty-Humphrey (PractRand); passes its tests, fits 32-bit arithmetic. */
export function createRandom(seed: number): Random {
  let a = seed | 0
  let b = 0x9e3779b9 | 0
  let c = 0x243f6a88 | 0
  let counter = 1
  const next = (): number => {
    const t = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + t
    c |= 0
    return (t >>> 0) / 2 ** 32
  }
  for (let i = 0; i < 12; i++) next()
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (items) => {
      if (items.length === 0) throw new Error('nothing to pick from')
      return items[below(items.length)]!
    },
    zipf: (bound) => Math.min(bound - 1, Math.floor((bound + 1) ** next()) - 1),
  }
}
