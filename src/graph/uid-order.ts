// The order of accounts inside every adjacency set: a fixed scrambling of the uid.
//
// Accounts met together get neighbouring uids, so real sets are lumpy in uid order. Scrambled by a
// bijection of 32 bits they are spread evenly, and a key's place in a sorted set can be computed
// instead of searched (see sorted-slots.ts). All sets share the order, so they can be paged,
// intersected and merged in it. `EMPTY` is the key of uid 0, which is nobody, and the lowest.

export const EMPTY = -0x80000000

const FIRST_FACTOR = 0x9e3779b1
const SECOND_FACTOR = 0x85ebca6b
const FIRST_INVERSE = inverseOf(FIRST_FACTOR)
const SECOND_INVERSE = inverseOf(SECOND_FACTOR)

/** A signed 32-bit integer; sets are ascending in it. */
export function keyOf(uid: number): number {
  const once = Math.imul(uid, FIRST_FACTOR)
  return Math.imul(once ^ (once >>> 16), SECOND_FACTOR) ^ EMPTY
}

export function uidOfKey(key: number): number {
  const once = Math.imul(key ^ EMPTY, SECOND_INVERSE)
  return Math.imul(once ^ (once >>> 16), FIRST_INVERSE) >>> 0
}

/** Sorts in the graph's order: for twins and for merging several pages. */
export function compareUids(a: number, b: number): number {
  return keyOf(a) - keyOf(b)
}

/** Modulo 2^32, by Newton's iteration. */
function inverseOf(odd: number): number {
  let inverse = odd
  for (let i = 0; i < 5; i++) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse))
  return inverse
}
