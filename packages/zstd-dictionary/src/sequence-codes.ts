// The fixed tables of the sequences section (RFC 8878 sections 3.1.1.3.2.1.1 and 3.1.1.3.2.2).

import { tableOf } from './fse.ts'

export const MAX_LITERALS_LOG = 9
export const MAX_MATCHES_LOG = 9
export const MAX_OFFSETS_LOG = 8
export const LITERAL_CODES = 36
export const MATCH_CODES = 53
export const OFFSET_CODES = 32

/** Extra bits of each literals-length and match-length code. */
export const literalsExtra = Uint8Array.of(
  ...new Array(16).fill(0),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
)
export const matchesExtra = Uint8Array.of(
  ...new Array(32).fill(0),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
)

/** The shortest length of each code: one more than the longest of the previous code. */
export const literalsBase = basesOf(literalsExtra, 0)
export const matchesBase = basesOf(matchesExtra, 3)

function basesOf(extra: Uint8Array, first: number): Int32Array {
  const bases = new Int32Array(extra.length)
  let base = first
  for (let code = 0; code < extra.length; code++) {
    bases[code] = base
    base += 1 << extra[code]!
  }
  return bases
}

export const defaultLiterals = tableOf(
  [
    4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1,
    -1, -1, -1, -1,
  ],
  6,
)
export const defaultMatches = tableOf(
  [
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
  ],
  6,
)
export const defaultOffsets = tableOf(
  [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
  5,
)
