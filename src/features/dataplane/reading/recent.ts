// A bounded map in two generations: once the young one is full, it replaces the old one, which drops all
// entries not used meanwhile. A hit costs one look-up, against three for an LRU list.

export class Recent<K, V extends object> {
  readonly #max: number
  readonly #weigh: (value: V) => number
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  #youngWeight = 0

  /**
   * @param max - weight of both generations together
   * @param weigh - weight of one value, which must not change; 1 by default
   */
  constructor(max: number, weigh: (value: V) => number = () => 1) {
    this.#max = max
    this.#weigh = weigh
  }

  get(key: K): V | undefined {
    const cached = this.#young.get(key)
    if (cached) return cached
    const aged = this.#old.get(key)
    if (aged) this.set(key, aged)
    return aged
  }

  set(key: K, value: V): void {
    this.delete(key)
    this.#young.set(key, value)
    this.#youngWeight += this.#weigh(value)
    if (this.#youngWeight * 2 < this.#max) return
    this.#old = this.#young
    this.#young = new Map()
    this.#youngWeight = 0
  }

  delete(key: K): void {
    const cached = this.#young.get(key)
    if (cached) this.#youngWeight -= this.#weigh(cached)
    this.#young.delete(key)
    this.#old.delete(key)
  }

  clear(): void {
    this.#young = new Map()
    this.#old = new Map()
    this.#youngWeight = 0
  }
}

type Recalling<K, V> = {
  cached: (key: K) => V | undefined
  /** Reads values and caches them. */
  read: (unknown: K[]) => Iterable<[K, V]>
}

/** In the order of `keys`: takes cached values, and reads all others in one batch. */
export function recalledByPosition<K, V>(
  keys: readonly K[],
  { cached, read }: Recalling<K, V>,
): (V | undefined)[] {
  const found = keys.map(cached)
  if (!found.includes(undefined)) return found
  const unknown = new Set(keys.filter((_, i) => found[i] === undefined))
  const rows = new Map(read([...unknown]))
  return found.map((item, i) => item ?? rows.get(keys[i]!))
}

/** By key: takes cached values, and reads all others in one batch. */
export function recalled<K, V>(keys: Iterable<K>, { cached, read }: Recalling<K, V>): Map<K, V> {
  const found = new Map<K, V>()
  const unknown: K[] = []
  for (const key of keys) {
    const value = cached(key)
    if (value === undefined) unknown.push(key)
    else found.set(key, value)
  }
  if (unknown.length > 0) for (const [key, value] of read(unknown)) found.set(key, value)
  return found
}
