// A very large set, with one bit for each existing account, in the graph's order (uid-order.ts). Row r
// contains the accounts whose keys have upper half r; bit b of the row is for lower half b. Rows have as many
// words as the existing accounts need, so a bit's position is computed, bits ascend in key order, and two
// sets are intersected word by word. A set of more than about one in forty of all accounts takes less memory
// in this form than as a sorted set, and each operation touches one bit.

import * as sizes from './size-classes.ts'
import * as order from './uid-order.ts'

// Local constants, so that they are compiled in; see sorted-slots.ts.
const { EMPTY, uidOfKey } = order
const ROWS = 65_536

export function hasBit(ints: Int32Array, base: number, rowWords: number, key: number): boolean {
  const low = key & 0xffff
  if (low >>> 5 >= rowWords) return false
  return ((ints[base + ((key ^ EMPTY) >>> 16) * rowWords + (low >>> 5)]! >>> (low & 31)) & 1) === 1
}

/** Whether the rows have a bit for this account. */
export function fitsRow(rowWords: number, key: number): boolean {
  return (key & 0xffff) >>> 5 < rowWords
}

export function setBit(ints: Int32Array, base: number, rowWords: number, key: number): void {
  const low = key & 0xffff
  const at = base + ((key ^ EMPTY) >>> 16) * rowWords + (low >>> 5)
  ints[at] = ints[at]! | (1 << (low & 31))
}

export function clearBit(ints: Int32Array, base: number, rowWords: number, key: number): void {
  const low = key & 0xffff
  const at = base + ((key ^ EMPTY) >>> 16) * rowWords + (low >>> 5)
  ints[at] = ints[at]! & ~(1 << (low & 31))
}

export type Bits = { ints: Int32Array; base: number; rowWords: number }

/**
 * Writes the uids in `bits` (and in `other`, if given) to `out`, in order, starting after key
 * `after`, until `out` is full. @returns how many.
 */
export function pageBits(
  bits: Bits,
  other: Bits | undefined,
  after: number,
  out: Uint32Array,
): number {
  const words = other ? Math.min(bits.rowWords, other.rowWords) : bits.rowWords
  const firstRow = (after ^ EMPTY) >>> 16
  const firstLow = (after & 0xffff) + 1
  let written = 0
  for (let row = firstRow; row < ROWS; row++) {
    for (let w = row === firstRow ? firstLow >>> 5 : 0; w < words; w++) {
      let word = bits.ints[bits.base + row * bits.rowWords + w]!
      if (other) word &= other.ints[other.base + row * other.rowWords + w]!
      if (row === firstRow && w === firstLow >>> 5) word &= -1 << (firstLow & 31)
      for (; word !== 0; word &= word - 1) {
        if (written === out.length) return written
        const low = (w << 5) | (31 - Math.clz32(word & -word))
        out[written++] = uidOfKey(((row << 16) | low) ^ EMPTY)
      }
    }
  }
  return written
}

/** Counts the accounts in both sets. */
export function countCommonBits(bits: Bits, other: Bits): number {
  const words = Math.min(bits.rowWords, other.rowWords)
  let count = 0
  for (let row = 0; row < ROWS; row++) {
    const at = bits.base + row * bits.rowWords
    const otherAt = other.base + row * other.rowWords
    for (let w = 0; w < words; w++) count += bitsIn(bits.ints[at + w]! & other.ints[otherAt + w]!)
  }
  return count
}

/** The keys of a bit set, ascending. Only for the writer, which converts sets to another form. */
export function keysOfBits(ints: Int32Array, base: number, bitmapClass: number): Int32Array {
  const rowWords = sizes.rowWords[bitmapClass]!
  let count = 0
  const length = ROWS * rowWords
  for (let i = 0; i < length; i++) count += bitsIn(ints[base + i]!)
  const keys = new Int32Array(count)
  let written = 0
  for (let i = 0; i < length; i++) {
    const row = Math.floor(i / rowWords)
    for (let word = ints[base + i]!; word !== 0; word &= word - 1) {
      const low = ((i - row * rowWords) << 5) | (31 - Math.clz32(word & -word))
      keys[written++] = ((row << 16) | low) ^ EMPTY
    }
  }
  return keys
}

function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
