// The two bounded maps under all caches, by number and by bytes. Both evict what was unused for long, approximately: a
// map that moves entries on each reading allocates a new table every few hundred readings, and for a map that lives
// long, V8 does so in the old generation. What invalidates an entry is the cache's own.

type Entry<V> = { value: V; isUsed: boolean }

/**
 * By number: CLOCK, or second chance (Corbató, A Paging Experiment with the Multics System, 1968).
 * Reading only marks an entry.
 */
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

/**
 * By bytes, in two generations: entries not read while the younger generation filled up are evicted
 * with the older one. A hit costs one look-up, instead of three for a list in order of use.
 */
export class BoundedByBytes<T extends { readonly bytes: number }, Id = number> {
  #maxBytes: number
  #young = new Map<Id, T>()
  #old = new Map<Id, T>()
  #youngBytes = 0
  #oldBytes = 0

  /** @param maxBytes - of both generations together, as estimated by the callers. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** At least what it holds. */
  get bytes(): number {
    return this.#youngBytes + this.#oldBytes
  }

  /** Evicts any excess immediately. */
  limitTo(bytes: number): void {
    this.#maxBytes = bytes
    if (this.#youngBytes * 2 > bytes) this.forgetAll()
    else if (this.bytes > bytes) this.#dropOld()
  }

  find(id: Id): T | undefined {
    const cached = this.#young.get(id)
    if (cached) return cached
    const aged = this.#old.get(id)
    if (aged) this.add(id, aged)
    return aged
  }

  add(id: Id, item: T): void {
    this.#youngBytes += item.bytes - (this.#young.get(id)?.bytes ?? 0)
    this.#young.set(id, item)
    this.#old.delete(id)
    if (this.#youngBytes * 2 <= this.#maxBytes) return
    this.#old = this.#young
    this.#oldBytes = this.#youngBytes
    this.#young = new Map()
    this.#youngBytes = 0
  }

  forget(id: Id): void {
    this.#old.delete(id)
    const cached = this.#young.get(id)
    if (!cached) return
    this.#young.delete(id)
    this.#youngBytes -= cached.bytes
  }

  forgetAll(): void {
    this.#young.clear()
    this.#youngBytes = 0
    this.#dropOld()
  }

  #dropOld(): void {
    this.#old.clear()
    this.#oldBytes = 0
  }
}
