// The piece sizes of adjacency sets, and which size a set uses. Sorted sets: every capacity up to 8, then
// four per doubling up to 1024, two up to 524,288, one to the end. Each is a small factor times a power of
// two, so that a key's home is a multiplication and a shift. Six more classes are bit sets (bitmap-rows.ts).
// The class fits in 6 bits, the key count in the other 26 of a set's size word. Class 0 is the empty set.

import { assert } from '../assert.ts'

export const CLASS_COUNT = 64
export const COUNT_BITS = 26
export const COUNT_MASK = 2 ** COUNT_BITS - 1
export const FIRST_BITMAP = 58

/** Words per row of each bit set class: one bit per 65,536 accounts. */
const ROW_WORDS = [1, 3, 6, 12, 32, 128]
const ROWS = 65_536
const KEY_BITS = 28
const STEPS = 2
/**
 * A sorted set that fills no more than one part in this many of its piece moves to a piece an
 * eighth the size. That is late, because moving costs time and few accounts ever lose most of their
 * follows; every start makes all sets fit.
 */
const SPARSE_PART = 16
const SMALLEST_SHRUNK = 16
/** A bit set whose keys are fewer than this share of its words becomes a sorted set again. */
const SPARSE_SHARE = 0.4

/** Integers per piece; key places if it is a sorted set. */
export const capacities = makeCapacities()
/**
 * Keys a piece may hold: the last places of a large sorted set stay free, to keep walks short. 0
 * for bit sets, which hold any number but are changed differently.
 */
export const slotCounts = Int32Array.from(capacities, capacityOf)
/** Key count at which a set is so sparse that it should move to a smaller piece. */
export const sparseCounts = Int32Array.from(capacities, (capacity, sizeClass) => {
  if (sizeClass >= FIRST_BITMAP) return Math.floor(capacity * SPARSE_SHARE)
  return capacity < SMALLEST_SHRUNK ? 0 : Math.floor(capacity / SPARSE_PART)
})
/** The home of `key` is `(key's upper 28 bits * multiplier) >>> shift`. */
export const multipliers = Int32Array.from(capacities, oddPart)
export const shifts = Int32Array.from(capacities, (capacity, sizeClass) =>
  capacity === 0 ? 0 : KEY_BITS - Math.log2(capacity / multipliers[sizeClass]!),
)

/** Integers per row of a bit set. */
export const rowWords = Int32Array.from(capacities, (capacity, sizeClass) =>
  sizeClass < FIRST_BITMAP ? 0 : capacity / ROWS,
)

/** The smallest sorted class with room for `count` keys. */
export function classFor(count: number): number {
  return count < shortClasses.length ? shortClasses[count]! : findClass(count)
}

function findClass(count: number): number {
  let low = 0
  let high = FIRST_BITMAP
  while (low < high) {
    const middle = (low + high) >>> 1
    if (slotCounts[middle]! < count) low = middle + 1
    else high = middle
  }
  return low
}

/** Nearly all sets are short. */
const shortClasses = Uint8Array.from({ length: 257 }, (_, count) => findClass(count))

/**
 * The class for a set of `count` keys that is not expected to grow; `bitmap` is as in `largerClass`.
 */
export function fittingClass(count: number, bitmap: number): number {
  return sortedOr(bitmap, classFor(count))
}

/**
 * A set that grows key by key takes pieces about half as large again, or twice from 1024 up, so
 * that few keys are copied; a set of known length (build-graph.ts) takes the smallest that fits. A
 * set becomes a bit set once its piece would be as large as one.
 *
 * Returns the class that a full set moves to; `bitmap` is the smallest bit set with room for all
 * accounts.
 */
export function largerClass(sizeClass: number, bitmap: number): number {
  if (sizeClass >= FIRST_BITMAP) return bitmap
  return sortedOr(bitmap, sizeClass < STEPS ? sizeClass + 1 : sizeClass + STEPS)
}

/** The class that a set shrinks to when it holds `count` keys, no more than `sparseCounts`. */
export function smallerClass(sizeClass: number, count: number): number {
  if (count === 0) return 0
  return sizeClass >= FIRST_BITMAP ? classFor(count) + 1 : classWithin(capacities[sizeClass]! >>> 3)
}

/** The largest sorted class whose piece fits into `size` places. */
export function classWithin(size: number): number {
  let sizeClass = FIRST_BITMAP - 1
  while (capacities[sizeClass]! > size) sizeClass--
  return sizeClass
}

/** The smallest bit set with a bit for every account up to `uid`. */
export function bitmapFor(uid: number): number {
  const words = (uid >>> 21) + 1
  const index = ROW_WORDS.findIndex((rowWords) => rowWords >= words)
  assert(index >= 0, `uid ${uid} is beyond every bit set`)
  return FIRST_BITMAP + index
}

function sortedOr(bitmap: number, sorted: number): number {
  return sorted >= FIRST_BITMAP || capacities[sorted]! >= capacities[bitmap]! ? bitmap : sorted
}

function makeCapacities(): Int32Array {
  const made = [0, 1, 2, 3, 4, 5, 6, 7, 8]
  while (made.length < FIRST_BITMAP) {
    const largest = made[made.length - 1]!
    const power = 2 ** Math.floor(Math.log2(largest))
    if (power < 1024) made.push(largest + power / 4)
    else if (power < 524_288) made.push(largest + power / 2)
    else made.push(largest * 2)
  }
  return Int32Array.from([...made, ...ROW_WORDS.map((words) => words * ROWS)])
}

function capacityOf(capacity: number, sizeClass: number): number {
  if (sizeClass >= FIRST_BITMAP) return 0
  return capacity <= 8 ? capacity : capacity - Math.floor(capacity / 8)
}

function oddPart(capacity: number): number {
  let odd = capacity
  while (odd > 0 && odd % 2 === 0) odd /= 2
  return odd
}
