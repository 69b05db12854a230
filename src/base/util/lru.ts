// A bounded map that evicts entries unused for long: CLOCK, or second chance (Corbató, A Paging Experiment with the
// Multics System, 1968). Reading only marks an entry. A map that moves entries on each reading allocates a new
// table every few hundred readings, and for a map that lives long, V8 does so in the old generation.

type Entry<V> = { value: V; isUsed: boolean }

export class LruMap<K, V> {
  /** In the order in which they will be considered for eviction. */
  readonly #entries = new Map<K, Entry<V>>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    entry.isUsed = true
    return entry.value
  }

  set(key: K, value: V): void {
    const entry = this.#entries.get(key)
    if (entry) {
      entry.value = value
      entry.isUsed = true
      return
    }
    if (this.#entries.size >= this.#capacity) this.#evict()
    this.#entries.set(key, { value, isUsed: false })
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }

  *entries(): Generator<[K, V]> {
    for (const [key, { value }] of this.#entries) yield [key, value]
  }

  /** Evicts the first entry not used since it was last considered. */
  #evict(): void {
    for (const [key, entry] of this.#entries) {
      this.#entries.delete(key)
      if (!entry.isUsed) return
      entry.isUsed = false
      this.#entries.set(key, entry)
    }
  }
}
