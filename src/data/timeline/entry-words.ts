// How an entry lies in shared memory: four 32-bit words.
//
//   0  low 32 bits of sortAt
//   1  the bits of sortAt above (17 of them), then the rank's 15 bits
//   2  item
//   3  originator

import type { TimelineEntry, TimelinePosition } from './types.ts'

export const ENTRY_WORDS = 4
const RANK_BITS = 15
const RANK_MASK = (1 << RANK_BITS) - 1
const MAX_SORT_AT = 2 ** (32 + 16) - 1

type Words = Int32Array<SharedArrayBuffer>

/** Times before 1970 count as 1970. */
function clampSortAt(sortAt: number): number {
  return Math.max(0, Math.min(MAX_SORT_AT, sortAt))
}

export function writeEntry(words: Words, at: number, entry: TimelineEntry): void {
  const sortAt = clampSortAt(entry.sortAt)
  words[at] = sortAt | 0
  words[at + 1] = (Math.floor(sortAt / 2 ** 32) << RANK_BITS) | entry.rank
  words[at + 2] = entry.item | 0
  words[at + 3] = entry.originator | 0
}

export function readEntry(words: Words, at: number): TimelineEntry {
  const second = words[at + 1]!
  return {
    sortAt: (second >>> RANK_BITS) * 2 ** 32 + (words[at]! >>> 0),
    rank: second & RANK_MASK,
    item: words[at + 2]! >>> 0,
    originator: words[at + 3]! >>> 0,
  }
}

export function copyEntry(words: Words, from: number, to: number): void {
  words[to] = words[from]!
  words[to + 1] = words[from + 1]!
  words[to + 2] = words[from + 2]!
  words[to + 3] = words[from + 3]!
}

/** Above 0 where the entry at `at` is newer than `position`, 0 where it is the same. */
export function compareEntry(words: Words, at: number, position: TimelinePosition): number {
  const second = words[at + 1]!
  const sortAt = (second >>> RANK_BITS) * 2 ** 32 + (words[at]! >>> 0)
  const wanted = clampSortAt(position.sortAt)
  if (sortAt !== wanted) return sortAt - wanted
  return (second & RANK_MASK) - position.rank || (words[at + 2]! >>> 0) - position.item
}
