// What is known between two accounts, under the one of them that was asked about. Whoever keeps it bounds it by `size`.

export class PairMemory<Known> {
  readonly #byUid = new Map<number, Map<number, Known>>()
  #size = 0

  /** How many were added since all was forgotten last: no fewer than are known. */
  get size(): number {
    return this.#size
  }

  /** What is known of one account, by the other. */
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
    this.#byUid.get(uid)?.delete(other)
    this.#byUid.get(other)?.delete(uid)
  }

  forgetAllOf(uid: number): void {
    this.#byUid.delete(uid)
    for (const others of this.#byUid.values()) others.delete(uid)
  }

  forgetAll(): void {
    this.#byUid.clear()
    this.#size = 0
  }
}
