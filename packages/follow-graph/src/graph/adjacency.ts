// One direction of the follow graph: a set of keys per account. `heads` holds two integers per account: the
// offset of its piece of the pool, and a size word (size class and count). The sets have the form of
// sorted-slots.ts or bitmap-rows.ts. The read functions serve the writer and the readers: they stay within
// the arrays and terminate on any content, because a reader may see a half-written state (and then discards
// the result, see owner-versions.ts).

import { assert } from '../assert.ts'
import { createSharedInts, type SharedInts } from '../shared-memory/shared-ints.ts'
import { clearBit, fitsRow, hasBit, keysOfBits, pageBits, setBit } from './bitmap-rows.ts'
import { EDGE_RUN } from './edge-run.ts'
import * as sizes from './size-classes.ts'
import type { SlabPool } from './slab-pool.ts'
import * as slots from './sorted-slots.ts'
import * as order from './uid-order.ts'

// Local constants, so that they are compiled in; see sorted-slots.ts.
const { COUNT_BITS, COUNT_MASK, FIRST_BITMAP, capacities, slotCounts, rowWords, sparseCounts } =
  sizes
const { contains, firstAfter, homeOf, put, removeAt, respread, search } = slots
const { EMPTY, keyOf, uidOfKey } = order

/** The shared part of one direction. */
export class AdjacencyView {
  readonly heads: SharedInts
  readonly memory: SharedInts

  constructor(heads: SharedInts, memory: SharedInts) {
    this.heads = heads
    this.memory = memory
  }

  count(owner: number): number {
    return this.sizeWord(owner) & COUNT_MASK
  }

  has(owner: number, key: number): boolean {
    const at = owner * 2
    let heads = this.heads.ints
    if (at >= heads.length) {
      if (!this.heads.refresh(at + 2)) return false
      heads = this.heads.ints
    }
    const sizeClass = heads[at + 1]! >>> COUNT_BITS
    const base = heads[at]!
    let { ints } = this.memory
    if (base < 0 || base + capacities[sizeClass]! > ints.length) {
      if (this.slot(owner, sizeClass) < 0) return false
      ints = this.memory.ints
    }
    return sizeClass < FIRST_BITMAP
      ? contains(ints, base, sizeClass, key)
      : hasBit(ints, base, rowWords[sizeClass]!, key)
  }

  /** Writes uids to `out`, in order, starting after key `after`; @returns how many. */
  page(owner: number, after: number, out: Uint32Array): number {
    const size = this.sizeWord(owner)
    const sizeClass = size >>> COUNT_BITS
    const base = this.slot(owner, sizeClass)
    if (size === 0 || base < 0) return 0
    const { ints } = this.memory
    if (sizeClass >= FIRST_BITMAP) {
      return pageBits({ ints, base, rowWords: rowWords[sizeClass]! }, undefined, after, out)
    }
    const end = base + capacities[sizeClass]!
    const capacity = out.length
    let written = 0
    for (let at = firstAfter(ints, base, sizeClass, after); at < end && written < capacity; at++) {
      const key = ints[at]!
      if (key !== EMPTY) out[written++] = uidOfKey(key)
    }
    return written
  }

  /** Size class and count of the owner's set, as one integer; 0 if it is empty. */
  sizeWord(owner: number): number {
    const at = owner * 2 + 1
    if (at >= this.heads.ints.length && !this.heads.refresh(at + 1)) return 0
    return this.heads.ints[at]!
  }

  /** Offset of the owner's piece; -1 if the head points outside the memory. */
  slot(owner: number, sizeClass: number): number {
    const base = this.heads.ints[owner * 2]!
    const end = base + capacities[sizeClass]!
    if (end > this.memory.ints.length && !this.memory.refresh(end)) return -1
    return base
  }
}

/** The writer's operations; callers must keep readers away meanwhile. */
export class Adjacency extends AdjacencyView {
  readonly #pool: SlabPool
  readonly #places = new Int32Array(EDGE_RUN)
  #bitmapClass = sizes.bitmapFor(0)

  constructor(pool: SlabPool, maxOwners: number) {
    super(createSharedInts(maxOwners * 2 + 2), pool.memory)
    this.#pool = pool
  }

  /** Highest uid that can be in a set: determines how many bits a bit set needs. */
  set highestUid(uid: number) {
    this.#bitmapClass = sizes.bitmapFor(uid)
  }

  /** @returns false if the key was already present. */
  add(owner: number, key: number): boolean {
    const at = (owner << 1) | 1
    if (at >= this.heads.ints.length) this.heads.ensure(at + 1)
    const heads = this.heads.ints
    let size = heads[at]!
    if ((size & COUNT_MASK) >= slotCounts[size >>> COUNT_BITS]!) {
      this.#makeRoom(owner, key)
      size = heads[at]!
      if (size >>> COUNT_BITS >= FIRST_BITMAP) return this.#addBit(owner, key)
    }
    if (!put(this.memory.ints, heads[at - 1]!, size >>> COUNT_BITS, key)) return false
    heads[at] = size + 1
    return true
  }

  /**
   * Reads the heads of the owners of a run, and then the homes of the keys of `uids` in their sets,
   * each in a loop so short that the processor fetches many at once: `add` and `remove` then find
   * them in its caches.
   */
  prefetch(owners: Int32Array, uids: Int32Array, count: number): void {
    const heads = this.heads.ints
    const { ints } = this.memory
    const slots = this.#places
    let sum = 0
    for (let i = 0; i < count; i++) {
      const at = owners[i]! << 1
      if (at < heads.length) sum = (sum + heads[at]!) | 0
    }
    for (let i = 0; i < count; i++) {
      const at = (owners[i]! << 1) | 1
      const sizeClass = at < heads.length ? heads[at]! >>> COUNT_BITS : 0
      slots[i] = sizeClass === 0 ? 0 : heads[at - 1]! + homeOf(sizeClass, keyOf(uids[i]!))
    }
    for (let i = 0; i < count; i++) sum = (sum + ints[slots[i]!]!) | 0
    // Stored, because V8 would leave out reads whose result is not used.
    slots[0] = sum
  }

  /**
   * Called when the piece is full or is a bit set; grows the set unless its bit set has a bit for
   * the key.
   */
  #makeRoom(owner: number, key: number): void {
    const sizeClass = this.sizeWord(owner) >>> COUNT_BITS
    if (sizeClass >= FIRST_BITMAP && fitsRow(rowWords[sizeClass]!, key)) return
    this.#resize(owner, sizes.largerClass(sizeClass, this.#bitmapClass))
  }

  #addBit(owner: number, key: number): boolean {
    const { ints } = this.memory
    const heads = this.heads.ints
    const base = heads[owner * 2]!
    const words = rowWords[heads[owner * 2 + 1]! >>> COUNT_BITS]!
    if (hasBit(ints, base, words, key)) return false
    setBit(ints, base, words, key)
    heads[owner * 2 + 1]!++
    return true
  }

  /** @returns false if the key was absent. */
  remove(owner: number, key: number): boolean {
    const at = owner * 2
    const size = this.sizeWord(owner)
    if (size === 0) return false
    const sizeClass = size >>> COUNT_BITS
    const { ints } = this.memory
    const base = this.heads.ints[at]!
    if (sizeClass < FIRST_BITMAP) {
      const slot = search(ints, base, sizeClass, key)
      if (slot < 0) return false
      removeAt(ints, base, sizeClass, slot)
    } else {
      if (!hasBit(ints, base, rowWords[sizeClass]!, key)) return false
      clearBit(ints, base, rowWords[sizeClass]!, key)
    }
    this.heads.ints[at + 1] = size - 1
    const count = (size & COUNT_MASK) - 1
    if (count <= sparseCounts[sizeClass]!) this.#resize(owner, sizes.smallerClass(sizeClass, count))
    return true
  }

  /** Copies the keys of a set, ascending, to `out` from `at`: `count(owner)` of them. */
  copyKeys(owner: number, out: Int32Array, at: number): void {
    const sizeClass = this.sizeWord(owner) >>> COUNT_BITS
    const { ints } = this.memory
    const base = this.heads.ints[owner * 2]!
    if (sizeClass >= FIRST_BITMAP) {
      out.set(keysOfBits(ints, base, sizeClass), at)
      return
    }
    const end = at + this.count(owner)
    for (let from = base, to = at; to < end; from++) {
      const key = ints[from]!
      out[to] = key
      to += key === EMPTY ? 0 : 1
    }
  }

  /** Gives an owner without a set `count` of the keys, from `from`, which are ascending. */
  fill(owner: number, keys: Int32Array, from: number, count: number): void {
    const sizeClass = this.reserve(owner, count)
    const base = this.heads.ints[owner * 2]!
    if (count > 0) this.#write(keys, from, count, base, sizeClass)
    this.heads.ints[owner * 2 + 1] = (sizeClass << COUNT_BITS) | count
  }

  /**
   * Allocates a piece for an owner without a set, with room for exactly `count` keys; its content
   * is arbitrary.
   */
  reserve(owner: number, count: number): number {
    this.heads.ensure(owner * 2 + 2)
    const { ints } = this.heads
    assert(ints[owner * 2 + 1] === 0, `uid ${owner} has a set already`)
    if (count === 0) return 0
    const sizeClass = sizes.fittingClass(count, this.#bitmapClass)
    ints[owner * 2] = this.#pool.take(sizeClass)
    ints[owner * 2 + 1] = sizeClass << COUNT_BITS
    return sizeClass
  }

  /** Copies the set to a piece of another class, and frees the old piece. */
  #resize(owner: number, sizeClass: number): void {
    const oldPiece = this.heads.ints[owner * 2]!
    const size = this.heads.ints[owner * 2 + 1]!
    const oldClass = size >>> COUNT_BITS
    const count = size & COUNT_MASK
    const piece = sizeClass === 0 ? 0 : this.#pool.take(sizeClass)
    const { ints } = this.memory
    if (sizeClass > 0 && oldClass < FIRST_BITMAP) {
      this.#write(ints, oldPiece, capacities[oldClass]!, piece, sizeClass)
    } else if (sizeClass > 0) {
      const keys = keysOfBits(ints, oldPiece, oldClass)
      this.#write(keys, 0, keys.length, piece, sizeClass)
    }
    this.heads.ints[owner * 2] = piece
    this.heads.ints[owner * 2 + 1] = (sizeClass << COUNT_BITS) | count
    if (oldClass > 0) this.#pool.give(oldPiece, oldClass)
  }

  /** Writes ascending keys, with or without gaps, to a piece of either form. */
  #write(keys: Int32Array, from: number, length: number, piece: number, sizeClass: number): void {
    const { ints } = this.memory
    if (sizeClass < FIRST_BITMAP) {
      respread(keys, from, length, ints, piece, sizeClass, length > 2 * capacities[sizeClass]!)
      return
    }
    ints.fill(0, piece, piece + capacities[sizeClass]!)
    for (let i = from; i < from + length; i++) {
      if (keys[i] !== EMPTY) setBit(ints, piece, rowWords[sizeClass]!, keys[i]!)
    }
  }
}
