// Allocates pieces of one large shared integer array, by size class, for the adjacency sets. A freed piece
// goes to the free list of its class, threaded through the pieces themselves (the first integer is the next
// piece). If the list is empty, pieces are cut from the open stretch, which is either new memory or a large
// freed piece, so that small sets use up the old homes of growing giants. Index 0 is never allocated: it
// means none.

import { createSharedInts, type SharedInts } from '../shared-memory/shared-ints.ts'
import { CLASS_COUNT, capacities, classWithin } from './size-classes.ts'
import { EMPTY } from './uid-order.ts'

const STRETCH_INTS = 65_536
const FIRST_INDEX = 16
const SMALLEST_RECYCLED_CLASS = classWithin(1024)

export class SlabPool {
  readonly memory: SharedInts
  readonly #free = new Int32Array(CLASS_COUNT)
  #openAt = FIRST_INDEX
  #openEnd = FIRST_INDEX
  /** End of all memory cut so far. */
  #top = FIRST_INDEX
  #freeInts = 0

  constructor(maxInts: number) {
    this.memory = createSharedInts(maxInts, STRETCH_INTS)
    // Lookups of a set without a piece read here.
    this.memory.ints[0] = EMPTY
  }

  /** Integers cut so far, whether in use or free. */
  get usedInts(): number {
    return this.#top
  }

  /** Integers on free lists. */
  get freeInts(): number {
    return this.#freeInts + (this.#openEnd - this.#openAt)
  }

  /** @returns the index of a piece of that class; its content is arbitrary */
  take(sizeClass: number): number {
    const piece = this.#free[sizeClass]!
    if (piece === 0) return this.#cut(capacities[sizeClass]!)
    this.#free[sizeClass] = this.memory.ints[piece]!
    this.#freeInts -= capacities[sizeClass]!
    return piece
  }

  give(piece: number, sizeClass: number): void {
    this.memory.ints[piece] = this.#free[sizeClass]!
    this.#free[sizeClass] = piece
    this.#freeInts += capacities[sizeClass]!
  }

  #cut(size: number): number {
    if (this.#openEnd - this.#openAt < size) this.#openStretch(size)
    const piece = this.#openAt
    this.#openAt += size
    return piece
  }

  #openStretch(size: number): void {
    this.#giveRest()
    const recycled = this.#largeFreeClass(size)
    if (recycled > 0) {
      this.#openAt = this.take(recycled)
      this.#openEnd = this.#openAt + capacities[recycled]!
      return
    }
    const length = Math.max(size, STRETCH_INTS)
    this.memory.ensure(this.#top + length)
    this.#openAt = this.#top
    this.#top += length
    this.#openEnd = this.#top
  }

  /** Cuts the rest of the open stretch into pieces, largest first. */
  #giveRest(): void {
    while (this.#openAt < this.#openEnd) {
      const sizeClass = classWithin(this.#openEnd - this.#openAt)
      const piece = this.#openAt
      this.#openAt += capacities[sizeClass]!
      this.give(piece, sizeClass)
    }
  }

  #largeFreeClass(size: number): number {
    for (let sizeClass = CLASS_COUNT - 1; sizeClass >= SMALLEST_RECYCLED_CLASS; sizeClass--) {
      if (this.#free[sizeClass] !== 0 && capacities[sizeClass]! >= size) return sizeClass
    }
    return 0
  }
}
