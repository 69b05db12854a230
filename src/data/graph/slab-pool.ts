// Pieces of one large shared integer array, by size class, for the adjacency sets. A freed piece goes to its class's
// free list; the list is threaded through the pieces themselves (the first integer is the next piece). What no list
// has is cut from the open end, a stretch that is either new memory or a large freed piece, so that the old homes of
// growing giants are used up by small sets. Index 0 is never given out: it means none.

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
  /** End of everything ever cut. */
  #top = FIRST_INDEX
  #freeInts = 0

  constructor(maxInts: number) {
    this.memory = createSharedInts(maxInts, STRETCH_INTS)
    // The set without a piece is looked up here.
    this.memory.ints[0] = EMPTY
  }

  /** Integers cut so far, in use or free. */
  get usedInts(): number {
    return this.#top
  }

  /** Integers on free lists. */
  get freeInts(): number {
    return this.#freeInts + (this.#openEnd - this.#openAt)
  }

  /** @returns index of a piece of that class; its content is arbitrary. */
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

  /** Cuts what is left of the open stretch into pieces, largest first. */
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
