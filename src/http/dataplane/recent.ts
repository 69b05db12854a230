// A bounded map in two generations: what was not asked for while the younger one filled up is forgotten with
// the older one. A hit costs one look-up, where a list in order of use costs three.

export class Recent<K, V extends object> {
  readonly #max: number
  readonly #weigh: (value: V) => number
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  #youngWeight = 0

  /**
   * @param max - weight of both generations together
   * @param weigh - what one weighs, which must not change; else each weighs 1
   */
  constructor(max: number, weigh: (value: V) => number = () => 1) {
    this.#max = max
    this.#weigh = weigh
  }

  get(key: K): V | undefined {
    const kept = this.#young.get(key)
    if (kept) return kept
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
    const kept = this.#young.get(key)
    if (kept) this.#youngWeight -= this.#weigh(kept)
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
  kept: (key: K) => V | undefined
  /** Keeps what it reads. */
  read: (unknown: K[]) => Iterable<[K, V]>
}

/** In their places: of each key what is kept, and in one go what is not. */
export function recalledInPlace<K, V>(
  keys: readonly K[],
  { kept, read }: Recalling<K, V>,
): (V | undefined)[] {
  const found = keys.map(kept)
  if (!found.includes(undefined)) return found
  const unknown = new Set(keys.filter((_, i) => found[i] === undefined))
  const rows = new Map(read([...unknown]))
  return found.map((one, i) => one ?? rows.get(keys[i]!))
}

/** Of each key what is kept, and in one go what is not. */
export function recalled<K, V>(keys: Iterable<K>, { kept, read }: Recalling<K, V>): Map<K, V> {
  const found = new Map<K, V>()
  const unknown: K[] = []
  for (const key of keys) {
    const value = kept(key)
    if (value === undefined) unknown.push(key)
    else found.set(key, value)
  }
  if (unknown.length > 0) for (const [key, value] of read(unknown)) found.set(key, value)
  return found
}
