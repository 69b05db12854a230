// What is known about pairs of accounts, keyed by the account that was asked about. The owner bounds it by
// `size`.

export class PairMemory<Known> {
  readonly #byUid = new Map<number, Map<number, Known>>()
  #size = 0
  #changes = 0

  /** Number of pairs added since everything was last dropped; an upper bound on the pairs held. */
  get size(): number {
    return this.#size
  }

  /** Goes up whenever something is forgotten that was known. */
  get changes(): number {
    return this.#changes
  }

  /** Everything known about one account, keyed by the other account. */
  of(uid: number): ReadonlyMap<number, Known> | undefined {
    return this.#byUid.get(uid)
  }

  add(uid: number, other: number, known: Known): void {
    const others = this.#byUid.get(uid) ?? new Map<number, Known>()
    this.#byUid.set(uid, others)
    others.set(other, known)
    this.#size++
  }

  forget(uid: number, other: number): void {
    const isKnown = this.#byUid.get(uid)?.delete(other)
    if (this.#byUid.get(other)?.delete(uid) || isKnown) this.#changes++
  }

  forgetAllOf(uid: number): void {
    let isKnown = this.#byUid.delete(uid)
    for (const others of this.#byUid.values()) isKnown = others.delete(uid) || isKnown
    if (isKnown) this.#changes++
  }

  forgetAll(): void {
    this.#byUid.clear()
    this.#size = 0
    this.#changes++
  }
}
