// A sorted set of keys in a piece of an integer array, with gaps, searched by computing a key's place. Keys
// are spread evenly (uid-order.ts), so a key's home is its share of the range times the capacity. Every
// function keeps two invariants: keys ascend, with gaps (EMPTY) anywhere between them; and every place
// between a key and its home is taken, on either side. Lookups compare a window of places without branching:
// a mispredicted branch costs some twenty cycles.

import * as sizes from './size-classes.ts'
import * as order from './uid-order.ts'

// Constants of this module are compiled in; imported ones are read and checked at every use, which
// took a sixth of an operation.
const { capacities, multipliers, shifts } = sizes
const { EMPTY } = order

const WINDOW = 4

/** Where a search for the key begins, from the start of its piece. */
export function homeOf(sizeClass: number, key: number): number {
  return Math.imul((key ^ EMPTY) >>> 4, multipliers[sizeClass]!) >>> shifts[sizeClass]!
}

/**
 * An empty home means the key is absent; otherwise a search walks from the home towards the key and
 * ends at the key, a gap, or a key beyond. This is linear probing that keeps order, in both
 * directions and without wrapping, so a piece may be filled to the last place, walking reads pages
 * in order, and sets of any size cost the same.
 *
 * @returns the key's index, or -1
 */
export function search(ints: Int32Array, base: number, sizeClass: number, key: number): number {
  let at = base + (Math.imul((key ^ EMPTY) >>> 4, multipliers[sizeClass]!) >>> shifts[sizeClass]!)
  let found = ints[at]!
  if (found < key) {
    const end = base + capacities[sizeClass]!
    while (found < key && found !== EMPTY && ++at < end) found = ints[at]!
  } else {
    while (found > key && --at >= base) found = ints[at]!
  }
  return found === key ? at : -1
}

/**
 * Whether `key` is in the set. Nine keys in ten are in the four places from one before their home,
 * so these are compared without a branch each: the mispredicted branches would cost more.
 */
export function contains(ints: Int32Array, base: number, sizeClass: number, key: number): boolean {
  const last = capacities[sizeClass]! - WINDOW
  if (last < 0) return search(ints, base, sizeClass, key) >= 0
  const home = Math.imul((key ^ EMPTY) >>> 4, multipliers[sizeClass]!) >>> shifts[sizeClass]!
  let offset = home - 1
  if (offset < 0) offset = 0
  else if (offset > last) offset = last
  const at = (base + offset) | 0
  const first = ints[at]!
  const second = ints[at + 1]!
  const third = ints[at + 2]!
  const fourth = ints[at + 3]!
  // The sign bit of (x - 1) & ~x is set only for x = 0.
  let difference = first ^ key
  let same = (difference - 1) & ~difference
  difference = second ^ key
  same |= (difference - 1) & ~difference
  difference = third ^ key
  same |= (difference - 1) & ~difference
  difference = fourth ^ key
  same |= (difference - 1) & ~difference
  if (same < 0) return true
  // If a lower key or a gap is before the home, and a higher key or a gap (which wraps to the
  // highest integer) is behind it, the key is nowhere else.
  if (first < key && ((fourth - 1) | 0) >= key && offset === home - 1) return false
  return search(ints, base, sizeClass, key) >= 0
}

/**
 * Adds a key; there must be a gap somewhere.
 * @returns false if the key was present
 */
export function put(ints: Int32Array, base: number, sizeClass: number, key: number): boolean {
  let at = base + (Math.imul((key ^ EMPTY) >>> 4, multipliers[sizeClass]!) >>> shifts[sizeClass]!)
  const end = base + capacities[sizeClass]!
  let found = ints[at]!
  if (found < key) {
    while (found < key && found !== EMPTY && ++at < end) found = ints[at]!
  } else {
    while (found > key && --at >= base) found = ints[at]!
    if (found === key) return false
    // The key goes into a gap, or behind a lower key.
    if (at < base || found !== EMPTY) return insertAt(ints, base, end, at + 1, key)
  }
  if (found === key) return false
  if (found !== EMPTY) return insertAt(ints, base, end, at, key)
  ints[at] = key
  return true
}

/** Inserts `key` before the one at `at`: shifts the keys from there to the nearest gap. */
function insertAt(ints: Int32Array, base: number, end: number, at: number, key: number): boolean {
  let right = at
  let left = at - 1
  for (;;) {
    if (right < end) {
      if (ints[right] === EMPTY) break
      right++
    }
    if (left >= base) {
      if (ints[left] === EMPTY) {
        for (let i = left; i < at - 1; i++) ints[i] = ints[i + 1]!
        ints[at - 1] = key
        return true
      }
      left--
    }
  }
  for (let i = right; i > at; i--) ints[i] = ints[i - 1]!
  ints[at] = key
  return true
}

/** Removes the key at `at`, and moves the keys it displaced back towards their homes. */
export function removeAt(ints: Int32Array, base: number, sizeClass: number, at: number): void {
  const multiplier = multipliers[sizeClass]!
  const shift = shifts[sizeClass]!
  const last = base + capacities[sizeClass]! - 1
  let hole = at
  while (hole < last) {
    const next = ints[hole + 1]!
    const home = base + (Math.imul((next ^ EMPTY) >>> 4, multiplier) >>> shift)
    if (next === EMPTY || home > hole) break
    ints[hole++] = next
  }
  while (hole > base && hole <= at) {
    const previous = ints[hole - 1]!
    const home = base + (Math.imul((previous ^ EMPTY) >>> 4, multiplier) >>> shift)
    if (previous === EMPTY || home < hole) break
    ints[hole--] = previous
  }
  ints[hole] = EMPTY
}

/**
 * Index of the first key above `after` in order, or of a gap before it; at most the end of the
 * piece.
 */
export function firstAfter(
  ints: Int32Array,
  base: number,
  sizeClass: number,
  after: number,
): number {
  if (after === EMPTY) return base
  const end = base + capacities[sizeClass]!
  let at = base + (Math.imul((after ^ EMPTY) >>> 4, multipliers[sizeClass]!) >>> shifts[sizeClass]!)
  while (at > base && ints[at - 1]! > after) at--
  while (at < end && ints[at]! <= after) at++
  return at
}

/**
 * Copies the ascending keys in `length` places of `source`, with or without gaps, to a fresh piece
 * with room for them: each to its home or behind the previous key. If most places are gaps, as when
 * a set shrinks, gaps are skipped; if few are, testing for them would cost more.
 */
export function respread(
  source: Int32Array,
  from: number,
  length: number,
  ints: Int32Array,
  base: number,
  sizeClass: number,
  isSparse: boolean,
): void {
  const stop = (base + capacities[sizeClass]!) | 0
  const multiplier = multipliers[sizeClass]!
  const shift = shifts[sizeClass]!
  empty(ints, base, stop)
  const end = (from + length) | 0
  let next = base
  for (let i = from; i < end; i = (i + 1) | 0) {
    const key = source[i]!
    if (isSparse && key === EMPTY) continue
    const bits = key ^ EMPTY
    const home = (base + (Math.imul(bits >>> 4, multiplier) >>> shift)) | 0
    // The larger of home and next. A gap has home 0, so it lands at `next`, which does not advance.
    const difference = (home - next) | 0
    const slot = (home - (difference & (difference >> 31))) | 0
    if (slot < stop) {
      ints[slot] = key
      next = (slot + ((bits | -bits) >>> 31)) | 0
    } else if (key !== EMPTY) pushLeft(ints, stop, key)
  }
}

/** Puts the highest key into the last place: shifts the keys from there to the nearest gap. */
function pushLeft(ints: Int32Array, end: number, key: number): void {
  let at = end
  let moved = key
  while (moved !== EMPTY) {
    const found = ints[--at]!
    ints[at] = moved
    moved = found
  }
}

/**
 * Loops over short stretches; calling the built-in costs as much as about a hundred steps of the
 * loop.
 */
function empty(ints: Int32Array, from: number, end: number): void {
  if (end - from > 128) ints.fill(EMPTY, from, end)
  else for (let i = from; i < end; i++) ints[i] = EMPTY
}
