// Layout of an entry in shared memory, four 32-bit words: the low 32 bits of sortAt; then the upper 11 bits
// of sortAt, the rank's 15 bits and the upper 6 bits of item; then the low 32 bits of item; then the
// originator.

import type { TimelineEntry, TimelinePosition } from './types.ts'

export const ENTRY_WORDS = 4
const RANK_BITS = 15
const RANK_MASK = (1 << RANK_BITS) - 1
const RANK_SHIFT = 6
const SORT_SHIFT = RANK_BITS + RANK_SHIFT
const ITEM_MASK = (1 << RANK_SHIFT) - 1
/** Falls in the year 2248. */
const MAX_SORT_AT = 2 ** (32 + 11) - 1

type Words = Int32Array<SharedArrayBuffer>

/** Clamps times before 1970 to 1970. */
function clampSortAt(sortAt: number): number {
  return Math.max(0, Math.min(MAX_SORT_AT, sortAt))
}

export function writeEntry(words: Words, at: number, entry: TimelineEntry): void {
  const sortAt = clampSortAt(entry.sortAt)
  words[at] = sortAt | 0
  words[at + 1] = (top(sortAt) << SORT_SHIFT) | (entry.rank << RANK_SHIFT) | top(entry.item)
  words[at + 2] = entry.item | 0
  words[at + 3] = entry.originator | 0
}

export function readEntry(words: Words, at: number): TimelineEntry {
  const second = words[at + 1]!
  return {
    sortAt: (second >>> SORT_SHIFT) * 2 ** 32 + (words[at]! >>> 0),
    rank: (second >>> RANK_SHIFT) & RANK_MASK,
    item: itemOf(second, words[at + 2]!),
    originator: words[at + 3]! >>> 0,
  }
}

export function copyEntry(words: Words, from: number, to: number): void {
  words[to] = words[from]!
  words[to + 1] = words[from + 1]!
  words[to + 2] = words[from + 2]!
  words[to + 3] = words[from + 3]!
}

/**
 * Returns a positive number if the entry at `at` is newer than `position`, 0 if both are the same.
 */
export function compareEntry(words: Words, at: number, position: TimelinePosition): number {
  const second = words[at + 1]!
  const sortAt = (second >>> SORT_SHIFT) * 2 ** 32 + (words[at]! >>> 0)
  const wanted = clampSortAt(position.sortAt)
  if (sortAt !== wanted) return sortAt - wanted
  const rank = (second >>> RANK_SHIFT) & RANK_MASK
  return rank - position.rank || itemOf(second, words[at + 2]!) - position.item
}

/** Returns the bits above the lowest 32; there are fewer than 32 of them. */
function top(value: number): number {
  return (value * 2 ** -32) | 0
}

function itemOf(second: number, third: number): number {
  return (second & ITEM_MASK) * 2 ** 32 + (third >>> 0)
}
