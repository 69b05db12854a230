// Numbers that are collected again and again, a few at a time, in room that stays: an array that grows takes room for
// seventeen at its first number, and is garbage after the copy that is kept.

/** Shared, so that a reader finds it in the processor's cache. */
export const NO_NUMBERS: readonly number[] = []

export class NumberList {
  readonly #room: number[] = []
  #count = 0

  get length(): number {
    return this.#count
  }

  clear(): void {
    this.#count = 0
  }

  add(number: number): void {
    this.#room[this.#count++] = number
  }

  at(i: number): number {
    return this.#room[i]!
  }

  /** A linear search, which is quicker than a set while there are few. */
  has(number: number): boolean {
    for (let i = 0; i < this.#count; i++) if (this.#room[i] === number) return true
    return false
  }

  /** A copy that takes no more memory than it needs. */
  copy(): readonly number[] {
    return this.#count === 0 ? NO_NUMBERS : this.#room.slice(0, this.#count)
  }
}
