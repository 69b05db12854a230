// The order of accounts inside every adjacency set: a fixed scrambling of the uid. Accounts discovered
// together get neighbouring uids, so real sets are lumpy in uid order. Scrambled, they are spread evenly, and
// a key's place in a sorted set can be computed instead of searched (see sorted-slots.ts). All sets share the
// order, so they can be paged, intersected and merged in it.

const LOWEST = -0x80000000
/**
 * The key of uid 0, which is no account, and the lowest key. An exported constant is read from its
 * binding at every use, with a check; LOWEST is compiled in.
 */
export const EMPTY = LOWEST

const FIRST_FACTOR = 0x9e37
const SECOND_FACTOR = 0xca6b
const FIRST_INVERSE = inverseOf(FIRST_FACTOR)
const SECOND_INVERSE = inverseOf(SECOND_FACTOR)

/**
 * Only the lower half of the uid is scrambled, by a sixteen-bit bijection, and becomes the upper
 * half of the key; the upper half of the uid becomes the lower half unchanged. So a bit set of
 * 65,536 rows, one per lower half, with one bit per assigned upper half in each row, has this very
 * order (bitmap-rows.ts).
 *
 * A signed 32-bit integer; sets ascend in it.
 */
export function keyOf(uid: number): number {
  let low = Math.imul(uid, FIRST_FACTOR) & 0xffff
  low ^= low >>> 8
  low = Math.imul(low, SECOND_FACTOR) & 0xffff
  low ^= low >>> 7
  return ((low << 16) | (uid >>> 16)) ^ LOWEST
}

export function uidOfKey(key: number): number {
  let low = (key ^ LOWEST) >>> 16
  low ^= (low >>> 7) ^ (low >>> 14)
  low = Math.imul(low, SECOND_INVERSE) & 0xffff
  low ^= low >>> 8
  low = Math.imul(low, FIRST_INVERSE) & 0xffff
  return (((key & 0xffff) << 16) | low) >>> 0
}

/** Compares in the graph's order: for twins and for merging several pages. */
export function compareUids(a: number, b: number): number {
  return keyOf(a) - keyOf(b)
}

/** Inverse modulo 2^32, by Newton's iteration. */
function inverseOf(odd: number): number {
  let inverse = odd
  for (let i = 0; i < 5; i++) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse))
  return inverse
}
