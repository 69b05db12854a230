// One direction of the follow graph: for each account a sorted set of keys.
//
// Two integers an account (`heads`): where its piece of the pool is, and a size word, size class and
// count. The sets themselves are as sorted-slots.ts says. Functions here read for both the writer
// and the readers: they stay inside the arrays and end whatever stands there, because a reader may
// meet a half-written state (and throws the answer away then, see change-log.ts).

import { assert } from '../assert.ts'
import { createSharedInts, type SharedInts } from '../memory/shared-ints.ts'
import { CLASS_COUNT, COUNT_BITS, COUNT_MASK, capacities, rooms } from './size-classes.ts'
import type { SlabPool } from './slab-pool.ts'
import { contains, firstAfter, insertAt, removeAt, respread, search } from './sorted-slots.ts'
import { EMPTY, uidOfKey } from './uid-order.ts'

const SHRINK_BY_CLASSES = 2

/** What is shared of one direction. */
export class AdjacencyView {
  readonly heads: SharedInts
  readonly memory: SharedInts

  constructor(heads: SharedInts, memory: SharedInts) {
    this.heads = heads
    this.memory = memory
  }

  count(owner: number): number {
    return this.#sizeWord(owner) & COUNT_MASK
  }

  has(owner: number, key: number): boolean {
    const size = this.#sizeWord(owner)
    if (size === 0) return false
    const capacity = capacities[size >>> COUNT_BITS]!
    const base = this.#place(owner, capacity)
    return base >= 0 && contains(this.memory.ints, base, capacity, key)
  }

  /** Uids to `out`, in order, from above key `after`; @returns how many. */
  page(owner: number, after: number, out: Uint32Array): number {
    const size = this.#sizeWord(owner)
    const capacity = capacities[size >>> COUNT_BITS]!
    const base = this.#place(owner, capacity)
    if (size === 0 || base < 0) return 0
    const ints = this.memory.ints
    const end = base + capacity
    const room = out.length
    let written = 0
    for (let at = firstAfter(ints, base, capacity, after); at < end && written < room; at++) {
      const key = ints[at]!
      if (key !== EMPTY) out[written++] = uidOfKey(key)
    }
    return written
  }

  /**
   * Uids in both this view's set of `owner` and `other`'s set of `otherOwner`, in order, from above
   * key `after`: walks this one, looks up in the other. @returns how many.
   */
  common(
    owner: number,
    other: AdjacencyView,
    otherOwner: number,
    after: number,
    out: Uint32Array | undefined,
  ): number {
    const size = this.#sizeWord(owner)
    const otherSize = other.#sizeWord(otherOwner)
    if (size === 0 || otherSize === 0) return 0
    const capacity = capacities[size >>> COUNT_BITS]!
    const base = this.#place(owner, capacity)
    const otherCapacity = capacities[otherSize >>> COUNT_BITS]!
    const otherBase = other.#place(otherOwner, otherCapacity)
    if (base < 0 || otherBase < 0) return 0
    const ints = this.memory.ints
    const otherInts = other.memory.ints
    const room = out === undefined ? capacity : out.length
    const end = base + capacity
    let written = 0
    for (let at = firstAfter(ints, base, capacity, after); at < end && written < room; at++) {
      const key = ints[at]!
      if (key === EMPTY || !contains(otherInts, otherBase, otherCapacity, key)) continue
      if (out !== undefined) out[written] = uidOfKey(key)
      written++
    }
    return written
  }

  #sizeWord(owner: number): number {
    const at = owner * 2 + 1
    if (at >= this.heads.ints.length && !this.heads.refresh(at + 1)) return 0
    return this.heads.ints[at]!
  }

  /** Where the owner's piece begins; -1 where what the head says lies outside the memory. */
  #place(owner: number, capacity: number): number {
    const base = this.heads.ints[owner * 2]!
    const end = base + capacity
    if (end > this.memory.ints.length && !this.memory.refresh(end)) return -1
    return base
  }
}

/** The writer's additions. Room is made first (not visible to readers), then the set is changed. */
export class Adjacency extends AdjacencyView {
  readonly #pool: SlabPool

  constructor(pool: SlabPool, maxOwners: number) {
    super(createSharedInts(maxOwners * 2 + 2), pool.memory)
    this.#pool = pool
  }

  /** @returns as `search` in sorted-slots.ts, in the set of `owner`. */
  find(owner: number, key: number): number {
    this.heads.ensure(owner * 2 + 2)
    const heads = this.heads.ints
    const capacity = capacities[heads[owner * 2 + 1]! >>> COUNT_BITS]!
    return search(this.memory.ints, heads[owner * 2]!, capacity, key)
  }

  /** Whether `insert` would find the piece of `owner` full. */
  isFull(owner: number): boolean {
    const size = this.heads.ints[owner * 2 + 1]!
    return (size & COUNT_MASK) === rooms[size >>> COUNT_BITS]
  }

  /** Whether so few keys are left that a smaller piece should be taken. */
  isSparse(owner: number): boolean {
    const size = this.heads.ints[owner * 2 + 1]!
    const sizeClass = size >>> COUNT_BITS
    const count = size & COUNT_MASK
    if (sizeClass < SHRINK_BY_CLASSES) return count === 0 && sizeClass > 0
    return count <= rooms[sizeClass - SHRINK_BY_CLASSES]!
  }

  /** The class that the owner's set grows to. */
  largerClass(owner: number): number {
    const sizeClass = this.heads.ints[owner * 2 + 1]! >>> COUNT_BITS
    assert(sizeClass + 1 < CLASS_COUNT, 'a set is larger than any piece')
    return sizeClass + 1
  }

  /** The class that the owner's set shrinks to; 0 where it is empty. */
  smallerClass(owner: number): number {
    const size = this.heads.ints[owner * 2 + 1]!
    return (size & COUNT_MASK) === 0 ? 0 : (size >>> COUNT_BITS) - 1
  }

  /** Copies the set to a new piece, which no reader can see yet. @returns its index, for `move`. */
  prepare(owner: number, sizeClass: number): number {
    if (sizeClass === 0) return 0
    const piece = this.#pool.take(sizeClass)
    const heads = this.heads.ints
    const count = heads[owner * 2 + 1]! & COUNT_MASK
    respread(this.memory.ints, heads[owner * 2]!, piece, capacities[sizeClass]!, count)
    return piece
  }

  /** Lets the owner's set be the copy that `prepare` made, and frees the old piece. */
  move(owner: number, piece: number, sizeClass: number): void {
    const heads = this.heads.ints
    const oldPiece = heads[owner * 2]!
    const oldSize = heads[owner * 2 + 1]!
    heads[owner * 2] = piece
    heads[owner * 2 + 1] = (sizeClass << COUNT_BITS) | (oldSize & COUNT_MASK)
    const oldClass = oldSize >>> COUNT_BITS
    if (oldClass > 0) this.#pool.give(oldPiece, oldClass)
  }

  /** Puts `key` where `find` said (complemented there). */
  insert(owner: number, at: number, key: number): void {
    const heads = this.heads.ints
    const size = heads[owner * 2 + 1]!
    insertAt(this.memory.ints, heads[owner * 2]!, capacities[size >>> COUNT_BITS]!, at, key)
    heads[owner * 2 + 1] = size + 1
  }

  remove(owner: number, at: number): void {
    const heads = this.heads.ints
    const size = heads[owner * 2 + 1]!
    assert((size & COUNT_MASK) > 0, 'a key was found in an empty set')
    removeAt(this.memory.ints, heads[owner * 2]!, capacities[size >>> COUNT_BITS]!, at)
    heads[owner * 2 + 1] = size - 1
  }
}
