// The memory layout of an invalidation: three 32-bit words.
//
//   0  the kind in 8 bits, the upper 8 bits of the first id, then those of the second
//   1  low 32 bits of the first
//   2  low 32 bits of the second

export const INVALIDATION_WORDS = 3

type Words = Int32Array

/** `a` and `b` are ids of rows or accounts, below 2^40. */
export function writeInvalidation(
  words: Words,
  at: number,
  kind: number,
  a: number,
  b: number,
): void {
  words[at] = kind | (Math.floor(a / 2 ** 32) << 8) | (Math.floor(b / 2 ** 32) << 16)
  words[at + 1] = a | 0
  words[at + 2] = b | 0
}

export function copyInvalidation(from: Words, at: number, to: { words: Words; at: number }): void {
  const { words } = to
  words[to.at] = from[at]!
  words[to.at + 1] = from[at + 1]!
  words[to.at + 2] = from[at + 2]!
}

export function kindAt(words: Words, at: number): number {
  return words[at]! & 255
}

/** The first id that it names. */
export function firstAt(words: Words, at: number): number {
  return ((words[at]! >>> 8) & 255) * 2 ** 32 + (words[at + 1]! >>> 0)
}

export function secondAt(words: Words, at: number): number {
  return ((words[at]! >>> 16) & 255) * 2 ** 32 + (words[at + 2]! >>> 0)
}
