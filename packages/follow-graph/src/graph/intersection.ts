// The intersection of two sets, in order: walks the smaller set and looks up each key in the larger one,
// whose places are computed (this replaces galloping). Both walks ascend, so memory is read forwards even
// where both sets are long. Two bit sets are intersected word by word. Stops as soon as a page is full.

import type { AdjacencyView } from './adjacency.ts'
import * as bitmap from './bitmap-rows.ts'
import * as sizes from './size-classes.ts'
import * as slots from './sorted-slots.ts'
import * as order from './uid-order.ts'

// Constants are compiled in, as in sorted-slots.ts.
const { COUNT_BITS, COUNT_MASK, FIRST_BITMAP, capacities, rowWords } = sizes
const { contains, firstAfter } = slots
const { countCommonBits, hasBit, pageBits } = bitmap
const { EMPTY, uidOfKey } = order

type Bits = bitmap.Bits

/** The set of `owner` in one direction. */
export type SetOf = { sets: AdjacencyView; owner: number }

/** The place of a set, as its head gave it at one moment. */
type Found = { ints: Int32Array; base: number; sizeClass: number; count: number }

/**
 * Writes the uids in both sets to `out`, from above key `after`.
 * @returns how many were written
 */
export function pageCommon(a: SetOf, b: SetOf, after: number, out: Uint32Array): number {
  const pair = findBoth(a, b)
  if (!pair) return 0
  const { walked, requested } = pair
  if (walked.sizeClass >= FIRST_BITMAP)
    return pageBits(bitsOf(walked), bitsOf(requested), after, out)
  const { ints, base, sizeClass } = walked
  const end = base + capacities[sizeClass]!
  let written = 0
  for (let at = firstAfter(ints, base, sizeClass, after); at < end && written < out.length; at++) {
    const key = ints[at]!
    if (key !== EMPTY && isIn(requested, key)) out[written++] = uidOfKey(key)
  }
  return written
}

export function countCommon(a: SetOf, b: SetOf): number {
  const pair = findBoth(a, b)
  if (!pair) return 0
  const { walked, requested } = pair
  if (walked.sizeClass >= FIRST_BITMAP) return countCommonBits(bitsOf(walked), bitsOf(requested))
  const end = walked.base + capacities[walked.sizeClass]!
  let count = 0
  if (requested.sizeClass >= FIRST_BITMAP) {
    const { ints, base, rowWords: words } = bitsOf(requested)
    for (let at = walked.base; at < end; at++) {
      const key = walked.ints[at]!
      // A gap tests the bit of uid 0, which is never set.
      count += hasBit(ints, base, words, key) ? 1 : 0
    }
    return count
  }
  for (let at = walked.base; at < end; at++) {
    const key = walked.ints[at]!
    if (key !== EMPTY)
      count += contains(requested.ints, requested.base, requested.sizeClass, key) ? 1 : 0
  }
  return count
}

/**
 * A bit set is looked up rather than walked, whatever its size; otherwise the smaller set is
 * walked.
 */
function findBoth(a: SetOf, b: SetOf): { walked: Found; requested: Found } | undefined {
  const first = find(a)
  const second = find(b)
  if (!first || !second) return undefined
  const [firstIsBits, secondIsBits] = [isBits(first), isBits(second)]
  const walksFirst = firstIsBits === secondIsBits ? first.count <= second.count : secondIsBits
  return walksFirst ? { walked: first, requested: second } : { walked: second, requested: first }
}

function find({ sets, owner }: SetOf): Found | undefined {
  const size = sets.sizeWord(owner)
  if (size === 0) return undefined
  const sizeClass = size >>> COUNT_BITS
  const base = sets.slot(owner, sizeClass)
  if (base < 0) return undefined
  return { ints: sets.memory.ints, base, sizeClass, count: size & COUNT_MASK }
}

function isBits({ sizeClass }: Found): boolean {
  return sizeClass >= FIRST_BITMAP
}

function bitsOf({ ints, base, sizeClass }: Found): Bits {
  return { ints, base, rowWords: rowWords[sizeClass]! }
}

function isIn({ ints, base, sizeClass }: Found, key: number): boolean {
  return sizeClass < FIRST_BITMAP
    ? contains(ints, base, sizeClass, key)
    : hasBit(ints, base, rowWords[sizeClass]!, key)
}
