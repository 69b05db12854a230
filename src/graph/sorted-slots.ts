// A sorted set of keys in a piece of an integer array, with gaps, found by computing the place.
//
// Keys are spread evenly (uid-order.ts), so a key's home is its share of the range times the
// capacity. Rules that every function keeps:
//   - keys stand ascending, gaps (EMPTY) anywhere between them;
//   - every place from a key to its home is taken, on whichever side of its home it stands.
// Hence: an empty home means the key is absent; a search walks from the home towards the key and
// ends at the key, a gap, or a key beyond. This is linear probing that keeps order, in both
// directions and without wrapping, so a piece may be filled to the last place, pages are read in
// order by walking, and sets of any size cost the same.

import { EMPTY } from './uid-order.ts'

/** Up to this capacity, sixteen bits of the key and integer arithmetic are precise enough. */
const MAX_COARSE_CAPACITY = 65_536
const WINDOW = 8
const WINDOW_BEFORE_HOME = 2

/** From 0 to `capacity - 1`; ascending with the key. */
export function homeOf(key: number, capacity: number): number {
  if (capacity <= MAX_COARSE_CAPACITY) return Math.imul((key >>> 16) ^ 0x8000, capacity) >>> 16
  return Math.floor(((key ^ EMPTY) >>> 0) * (capacity / 0x1_0000_0000))
}

/**
 * @returns the key's index; or, where absent, `~index` of the gap to put it into or of the key to
 * put it before (`base + capacity` to put it last).
 */
export function search(ints: Int32Array, base: number, capacity: number, key: number): number {
  let at = base + homeOf(key, capacity)
  let found = ints[at]!
  if (found === key) return at
  if (found === EMPTY) return ~at
  if (found < key) {
    const end = base + capacity
    while (++at < end) {
      found = ints[at]!
      if (found >= key || found === EMPTY) return found === key ? at : ~at
    }
    return ~end
  }
  while (--at >= base) {
    found = ints[at]!
    if (found <= key) {
      if (found === key) return at
      return found === EMPTY ? ~at : ~(at + 1)
    }
  }
  return ~base
}

/**
 * Whether `key` is in the set. Nearly all keys stand in the eight places from two before their home,
 * so those are compared without a branch on any: the mispredicted ones would cost more.
 */
export function contains(ints: Int32Array, base: number, capacity: number, key: number): boolean {
  if (capacity < WINDOW) return search(ints, base, capacity, key) >= 0
  let offset = homeOf(key, capacity) - WINDOW_BEFORE_HOME
  if (offset < 0) offset = 0
  if (offset > capacity - WINDOW) offset = capacity - WINDOW
  const at = (base + offset) | 0
  const first = ints[at]!
  const last = ints[at + 7]!
  // The sign bit of (x - 1) & ~x is set only for x = 0.
  let difference = first ^ key
  let same = (difference - 1) & ~difference
  difference = ints[at + 1]! ^ key
  same |= (difference - 1) & ~difference
  difference = ints[at + 2]! ^ key
  same |= (difference - 1) & ~difference
  difference = ints[at + 3]! ^ key
  same |= (difference - 1) & ~difference
  difference = ints[at + 4]! ^ key
  same |= (difference - 1) & ~difference
  difference = ints[at + 5]! ^ key
  same |= (difference - 1) & ~difference
  difference = ints[at + 6]! ^ key
  same |= (difference - 1) & ~difference
  difference = last ^ key
  same |= (difference - 1) & ~difference
  if (same < 0) return true
  const notBefore = first < key || offset === 0
  const notBehind = last > key || last === EMPTY || offset === capacity - WINDOW
  if (notBefore && notBehind) return false
  return search(ints, base, capacity, key) >= 0
}

/** Puts `key` where `search` said (`at`, not complemented). There must be a gap somewhere. */
export function insertAt(
  ints: Int32Array,
  base: number,
  capacity: number,
  at: number,
  key: number,
): void {
  const end = base + capacity
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
        return
      }
      left--
    }
  }
  for (let i = right; i > at; i--) ints[i] = ints[i - 1]!
  ints[at] = key
}

/** Takes out the key at `at`, and lets those displaced by it move back towards their homes. */
export function removeAt(ints: Int32Array, base: number, capacity: number, at: number): void {
  const last = base + capacity - 1
  let hole = at
  while (hole < last) {
    const next = ints[hole + 1]!
    if (next === EMPTY || base + homeOf(next, capacity) > hole) break
    ints[hole++] = next
  }
  while (hole > base && hole <= at) {
    const previous = ints[hole - 1]!
    if (previous === EMPTY || base + homeOf(previous, capacity) < hole) break
    ints[hole--] = previous
  }
  ints[hole] = EMPTY
}

/** Index of the first key above `after` in order; `base + capacity` where there is none. */
export function firstAfter(
  ints: Int32Array,
  base: number,
  capacity: number,
  after: number,
): number {
  const end = base + capacity
  let at = base + homeOf(after, capacity)
  while (at > base && ints[at - 1]! > after) at--
  while (at < end && ints[at]! <= after) at++
  return at
}

/** Copies `count` keys from a piece into a fresh one of another capacity, in order. */
export function respread(
  ints: Int32Array,
  from: number,
  base: number,
  capacity: number,
  count: number,
): void {
  let source = from
  let at = base
  for (let left = count; left > 0; left--) {
    let key = ints[source++]!
    while (key === EMPTY) key = ints[source++]!
    const place = base + Math.min(homeOf(key, capacity), capacity - left)
    while (at < place) ints[at++] = EMPTY
    ints[at++] = key
  }
  const end = base + capacity
  while (at < end) ints[at++] = EMPTY
}
