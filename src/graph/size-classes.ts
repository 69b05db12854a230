// The sizes of the pieces that adjacency sets live in.
//
// Every capacity up to 8, then four to a doubling up to 1024, then two, and one at the very end, so
// that 63 classes reach 64 million keys: the class fits 6 bits, the count of keys the other 26 of a
// set's size word. Class 0 is the empty set, which has no piece.

import { assert } from '../assert.ts'

export const CLASS_COUNT = 64
export const COUNT_BITS = 26
export const COUNT_MASK = 2 ** COUNT_BITS - 1

/** Keys a piece has places for. */
export const capacities = makeCapacities()
/** Keys a piece may hold: the last places of a large one stay free, for short walks. */
export const rooms = Int32Array.from(capacities, roomOf)

/** The smallest class with room for `count` keys. */
export function classFor(count: number): number {
  let sizeClass = 0
  while (sizeClass < CLASS_COUNT && rooms[sizeClass]! < count) sizeClass++
  assert(sizeClass < CLASS_COUNT, `a set of ${count} accounts is larger than any`)
  return sizeClass
}

/** The largest class whose piece fits into `size` places. */
export function classWithin(size: number): number {
  let sizeClass = CLASS_COUNT - 1
  while (capacities[sizeClass]! > size) sizeClass--
  return sizeClass
}

function makeCapacities(): Int32Array {
  const made = [0, 1, 2, 3, 4, 5, 6, 7, 8]
  while (made.length < CLASS_COUNT) {
    const largest = made[made.length - 1]!
    const power = 2 ** Math.floor(Math.log2(largest))
    if (power < 1024) made.push(largest + power / 4)
    else if (power < 1_048_576) made.push(largest + power / 2)
    else made.push(largest * 2)
  }
  return Int32Array.from(made)
}

function roomOf(capacity: number): number {
  const free = capacity <= 8 ? 0 : Math.floor(capacity / 8)
  return Math.min(capacity - free, COUNT_MASK)
}
